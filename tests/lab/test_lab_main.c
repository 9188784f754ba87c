/* SPDX-License-Identifier: MIT */
/* The other commands of lab, and its sentences and exit codes. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "support/test.h"
#include "examples/lab/nets/families.h"
#include "support/files.h"
#include "support/lab_arrays.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#include <jansson.h>
#include <sched.h>
#include <sys/stat.h>

static void lab_makes(const char *options, const char *kind, int set)
{
    program_expect_line(0, "", "", "lab %s --out s%d/%s %s" SMALL, kind, set, kind, options);
}

/* Data sets of all kinds: s0/layout/random, s0/tile, s0/fusion. */
static void measure(int set)
{
    lab_makes("--families mlp,lstm,attention,autoencoder --programs 8 --configs 24", "layout", set);
    lab_makes("--families mlp --programs 1 --configs 16 --kernels 2", "tile", set);
    lab_makes("--families mlp --programs 1 --partitions 3", "fusion", set);
}

static int make_sets(void **state)
{
    if (program_folder_make(state)) return -1;
    measure(0);
    return 0;
}

/* 1: measured again, the items have about the earlier order and run times. */
static int agrees(const json_t *j)
{
    const json_t *files = json_object_get(j, "files");
    int near = 1;
    for (size_t k = 0; k < json_array_size(files); k++) {
        const json_t *ratio = json_object_get(json_array_get(files, k), "now/then");
        near &= json_number_value(ratio) > 0.2 && json_number_value(ratio) < 5;
    }
    return near && json_real_value(json_object_get(j, "tau")) > 0.3;
}

static int measured_again_agrees(const char *kind, int set)
{
    json_t *j = program_json(
        formatted("lab check s%d%s --sample 30 --per-file 10 --json --repeats 3", set, kind), "");
    const json_t *files = json_object_get(j, "files");
    const int64_t measured = json_integer_value(json_object_get(j, "measured"));
    assert_in_range(measured, 10, 30);
    assert_true(json_array_size(files) >= 1 && json_array_size(files) <= 30);
    assert_true(json_is_true(json_object_get(j, "same_cpu")));
    const int so = agrees(j);
    json_decref(j);
    return so;
}

/* Processors differ in their name or, with one name, in their numbers; one without a name may be
   this one. */
static void another_cpu_is_told(const char *folder)
{
    const char *path = formatted("%s/manifest.json", folder);
    json_t *root = json_load_file(path, 0, NULL);
    json_t *machines = json_object_get(root, "machines"), *machine = json_array_get(machines, 0);
    json_array_append_new(machines, json_object());
    assert_int_equal(json_dump_file(root, path, JSON_INDENT(1)), 0);
    program_outcome o = program_expect_line(0, "", "", "lab check %s --sample 10" ANYHOW, folder);
    assert_null(strstr(o.out, "another CPU"));
    json_t *name = json_incref(json_object_get(machine, "cpu"));
    json_object_set_new(machine, "cpu", json_string("X 1"));
    assert_int_equal(json_dump_file(root, path, JSON_INDENT(1)), 0);
    program_expect_line(0, "The data are of another CPU (X 1, family ", "",
                        "lab check %s --sample 10" ANYHOW, folder);
    json_object_set_new(machine, "cpu", name);
    json_object_set_new(json_object_get(machine, "cpu_numbers"), "model", json_string("999"));
    assert_int_equal(json_dump_file(root, path, JSON_INDENT(1)), 0);
    json_decref(root);
    o = program_expect_line(0, "The data are of another CPU", "", "lab check %s --sample 10" ANYHOW,
                            folder);
    assert_non_null(strstr(o.out, ", model 999"));
}

/* A busy machine may measure an order that means nothing: then everything is measured again.
   Correct code agrees at the first undisturbed try; a wrong measure would not agree in five. */
static void all_kinds_are_measured_again(void **state)
{
    static const char *const kinds[] = {"/layout", "/tile", "/fusion", ""};
    int set = 0;
    for (int i = 0; i < 4; i++)
        while (!measured_again_agrees(kinds[i], set)) {
            assert_true(set < 4);
            measure(++set);
        }
    program_expect("lab check s0/layout s0/layout/random --sample 20" ANYHOW, 0,
                   "mean tau of 1 files:", "");
    another_cpu_is_told("s0/layout/random");
}

/* Rewrites run times of a layout file so that their order is turned over. */
static void turn_over(const char *path)
{
    ag_npz *npz = open_npz(path);
    ag_npz_writer *w = expect_made(ag_npz_create(path, new_failure()));
    for (int i = 0; i < ag_npz_count(npz); i++) {
        const ag_array_info *is = ag_npz_info(npz, i);
        void *data = malloc((size_t)is->count * ag_dtype_bytes(is->dtype));
        expect_ok(ag_npz_read(npz, is->name, is->dtype, data, new_failure()));
        int64_t *ns = data;
        for (int64_t k = 0; !strcmp(is->name, "config_runtime") && k < is->count; k++)
            ns[k] = 100000000000000 / ns[k];
        expect_ok(ag_npz_add(w, is->name, is->dtype, is->rank, is->size, data, new_failure()));
        free(data);
    }
    ag_npz_close(npz);
    expect_ok(ag_npz_finish(w, new_failure()));
}

/* Kendall's tau of a fresh data set, w0, w1..., of which the order was turned over. */
static double tau_turned_over(int set)
{
    program_expect_line(
        0, "", "", "lab layout --out w%d --families lstm --programs 1 --configs 24" SMALL, set);
    turn_over(formatted("w%d/random/lstm_0.npz", set));
    json_t *j = program_json(formatted("lab check w%d --sample 20 --json", set), "");
    const double tau = json_real_value(json_object_get(j, "tau"));
    json_decref(j);
    return tau;
}

static void a_wrong_order_is_seen(void **state)
{
    size_t n;
    int set = 0;
    while (tau_turned_over(set) >= -0.3) assert_true(++set < 5); /* as above */
    assert_int_equal(rename(formatted("w%d", set), "w"), 0);
    /* without its text the program is built again; a text that is not the file's */
    assert_int_equal(rename("w/random/lstm_0.txt", "w/lstm_0.txt"), 0);
    program_expect("lab check w --sample 20" ANYHOW, 0, "mean tau of 1 files:", "");
    char *text = files_get("w/random/manifest.json", &n);
    char *family = strstr(strstr(text, "\"programs\""), "\"lstm\"");
    memcpy(family, "\"gone\"", 6);
    program_write_text("w/random/manifest.json", text);
    program_expect("lab check w", 3, "",
                   "1 files are left out: they have no text of their program");
    memcpy(family, "\"lstm\"", 6);
    char *number = strstr(family, "\"number\"");
    memcpy(number, "\"nobody\"", 8);
    program_write_text("w/random/manifest.json", text);
    program_expect("lab check w", 3, "", "lstm_0.txt cannot be opened");
    memcpy(number, "\"number\"", 8);
    program_write_text("w/random/manifest.json", text);
    free(text);
    const program_outcome o =
        program_expect("lab show --family mlp --milliseconds 0.2", 0, "dot", "");
    program_write_text("w/random/lstm_0.txt", o.out);
    program_expect("lab check w", 3, "",
                   "lstm_0.npz: its node_config_feat are not those of the program in lstm_0.txt");
    program_write_text("w/random/lstm_0.txt", /* it has no node with layouts */
                       "program lstm_0 lstm\na = f32[4] parameter()\nb = f32[4] tanh(a)\n");
    program_expect("lab check w", 3, "",
                   "lstm_0.npz: its node_config_feat are not those of the program in lstm_0.txt");
}

static int lines_of(const char *path, char *all)
{
    size_t n;
    int lines = 0;
    char *text = files_get(path, &n), *rest = NULL;
    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        assert_int_equal(access(formatted("s0/layout/%s", line), F_OK), 0);
        assert_null(strstr(all, line)); /* in one part only */
        strcat(strcat(all, line), "\n");
        lines++;
    }
    free(text);
    return lines;
}

static void splits(void **state)
{
    static const char *const names[] = {"random", "family"}, *const parts[] = {"train", "valid",
                                                                               "test"};
    static char all[2][8192];
    size_t n;
    program_expect("lab split s0/layout --valid 0.25 --test 0.25", 0,
                   "split-random: train 4 programs (4 files), valid 2 (2), test 2 (2)\n"
                   "split-family: train 2 families (4 files), valid 1 (2), test 1 (2)\n",
                   "");
    for (int i = 0; i < 2; i++) {
        int sum = 0;
        for (int k = 0; k < 3; k++)
            sum += lines_of(formatted("s0/layout/split-%s.%s.txt", names[i], parts[k]), all[i]);
        assert_int_equal(sum, 8);
    }
    /* a family is on one side */
    char *valid = files_get("s0/layout/split-family.valid.txt", &n), *newline = strchr(valid, '\n');
    assert_int_equal(strncmp(valid, newline + 1, strcspn(valid, "_")), 0);
    free(valid);
    program_expect("lab split s0/layout --valid 0.9 --test 0.9", 3, "", "none would train");
    program_expect("lab split s0/layout", 0, "split-family: train 2 families", "");
    mkdir("nets", 0700); /* a net and its training step are one family */
    program_write_text("nets/manifest.json",
                       "{\"kind\": \"layout\", \"machines\": [], \"programs\": {}, \"files\": {"
                       "\"a\": {\"program\": \"a\", \"family\": \"mlp\"}, "
                       "\"b\": {\"program\": \"b\", \"family\": \"train_mlp\"}, "
                       "\"c\": {\"program\": \"c\", \"family\": \"lstm\"}}}");
    program_write_text("nets/a.npz", "");
    program_expect("lab split nets --test 0", 0, "split-family: train 1 families", "");
}

static void families_and_texts(void **state)
{
    program_outcome o = program_expect("lab families", 0, "mlp", "");
    for (int i = 0; i < lab_n_families; i++) assert_non_null(strstr(o.out, lab_families[i].name));
    o = program_expect("lab show --family lstm --number 2 --milliseconds 0.2", 0,
                       "# lstm_2 of family", "");
    program_write_text("own.txt", o.out); /* the printed text can be read */
    char *printed = strdup(strstr(o.out, "program lstm_2"));
    o = program_expect("lab show own.txt", 0, "# lstm_2 of family lstm", "");
    assert_string_equal(strstr(o.out, "program lstm_2"), printed);
    free(printed);
    program_expect(
        "lab layout --text own.txt --out own --configs 8 --noise 1e9 --repeats 2 --quiet", 0, "",
        "");
    assert_int_equal(access("own/random/lstm_2.npz", F_OK), 0);
    program_write_text("plain.txt",
                       "program plain test\na = f32[4] parameter()\nb = f32[4] tanh(a)\n");
    program_expect("lab layout --text plain.txt --out plain --milliseconds 1", 0, "",
                   "plain: skipped, it has no node with layouts to choose");
}

static void bad_calls(void **state)
{
    program_write_text("bad.txt", "program - test\na = f32[4] parameter()\n");
    program_write_text("worse.txt", "program x test\na = f32[4] nonsense()\n");
    program_write_text("twin.txt",
                       "program plain test\na = f32[4] parameter()\nb = f32[4] tanh(a)\n");
    mkdir("empty", 0700);
    mkdir("broken", 0700);
    program_write_text("broken/manifest.json", "{\"kind\": 3}");
    program_write_text("broken/a.npz", "");
    mkdir("other", 0700);
    program_write_text("other/a.npz", "");
    static const struct {
        const char *line;
        int code;
        const char *err;
    } bad[] = {
        {"lab layout", 2, "--out"},
        {"lab layout --out o --families mpl", 2, "there is no family mpl; did you mean mlp?"},
        {"lab layout --out o --families ,", 2, "names no family"},
        {"lab tile --out o --plan axes", 2, "--plan is not an option of lab tile"},
        {"lab layout --out o --text none.txt", 3, "none.txt"},
        {"lab layout --out o --text worse.txt", 3, "worse.txt"},
        {"lab layout --out o --text bad.txt", 3, "the program has no name"},
        {"lab layout --out o --text plain.txt twin.txt", 3, "of the name plain"},
        {"lab layout --out plain.txt/x --families mlp", 3, "plain.txt"},
        {"lab show", 2, "--family"},
        {"lab show plain.txt --family mlp", 2, "either text files or --family"},
        {"lab show --family no", 2, "there is no family"},
        {"lab check", 2, "--dir"},
        {"lab check empty", 3, "empty"},
        {"lab check other", 3, "neither this folder nor one below it has a manifest.json"},
        {"lab check other/a.npz", 3, "other/a.npz is a file; name a folder that lab has made"},
        {"lab split other/a.npz", 3, "other/a.npz is a file; name a folder that lab has made"},
        {"lab check nowhere", 3, "nowhere"},
        {"lab check broken", 3, "broken"},
        {"lab split other", 3, "manifest.json"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        program_expect(bad[i].line, bad[i].code, "", bad[i].err);
    cpu_set_t set;
    int first = 0, last;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET(first, &set)) first++;
    for (last = first; CPU_ISSET(last + 1, &set);) last++;
    const char *cores =
        first < last ? formatted("(%d to %d", first, last) : formatted("(%d", first);
    static const char *const measuring[] = {"layout --out c", "tile --out c", "fusion --out c",
                                            "check s0/layout"};
    for (int i = 0; i < 4; i++) {
        program_outcome o = program_expect_line(
            2, "", "--core is 900, which is not a core that the program may run on (",
            "lab %s --core 900", measuring[i]);
        assert_non_null(strstr(o.err, cores));
        assert_non_null(strstr(o.err, "); name one of these, or omit --core for the last"));
    }
}

int main(void)
{
    return RUN_TESTS_WITH(make_sets, test_folder_remove, all_kinds_are_measured_again,
                          a_wrong_order_is_seen, splits, families_and_texts, bad_calls);
}
