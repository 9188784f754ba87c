/* SPDX-License-Identifier: MIT */
/* The files of `lab layout` and `tile`: the arrays of real files, whole files only,
   within the time that was given. */
#include "support/test.h"
#include "core/memory.h"
#include "examples/harness/base/bag.h"
#include "examples/lab/collect/collect.h"
#include "examples/lab/program/features.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/lab/text/text.h"
#include "support/program_call.h"
#include "support/lab_arrays.h"
#include "support/tgraph_open.h"
#include "support/tpu_npz.h"

#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void check_layout(const char *path, const lab_program *p)
{
    ag_npz *npz = open_npz(path);
    int node[1000];
    const int nodes = lab_configurable_nodes(node, p);
    const wanted w[] = {{"node_config_feat", AG_F32, 3, {40, nodes, 18}},
                        {"node_config_ids", AG_I64, 1, {nodes}},
                        {"config_runtime", AG_I64, 1, {40}},
                        {"node_splits", AG_I64, 2, {1, 2}}};
    check_arrays(npz, p->n, w, 4);
    assert_true(check_operands(npz, p) > 0);
    int64_t *id = read_all(npz, "node_config_ids", AG_I64, NULL);
    for (int i = 0; i < nodes; i++) assert_int_equal(id[i], node[i]);
    int64_t *split = read_all(npz, "node_splits", AG_I64, NULL);
    assert_int_equal(split[0], 0);
    assert_int_equal(split[1], p->n);
    float *config = read_all(npz, "node_config_feat", AG_F32, NULL);
    for (int i = 0; i < nodes * 18; i++) assert_true(config[i] == -1); /* the default is first */
    float *feature = read_all(npz, "node_feat", AG_F32, NULL), mine[140];
    lab_node_features(mine, p, p->n - 1);
    assert_memory_equal(feature + (p->n - 1) * 140, mine, sizeof mine);
    close_npz(npz);
}

static void layout_files(void **state)
{
    lab_program p = {0};
    program_expect("lab layout --out l --families mlp --programs 1 --configs 40" SMALL, 0, "", "");
    assert_int_equal(lab_text_load(&p, "l/random/mlp_0.txt"), AG_OK);
    assert_string_equal(p.family, "mlp");
    check_layout("l/random/mlp_0.npz", &p);
    lab_program_clear(&p);
    tgraph_file *f = test_file_open("l/random/mlp_0.npz", test_unique(), NULL);
    assert_int_equal(f->file_configs, 40);
    assert_int_equal(f->configs, 40);
    assert_true(f->fastest >= 1000 && f->has_runtimes);
    tgraph_file_close(f);
    static const char *const facts[] = {"\"clock\": \"CLOCK_MONOTONIC_RAW\"", "\"repeats\": 2",
                                        "\"configurations\": 40", "\"measured_again\": 24"};
    for (int i = 0; i < 4; i++) program_expect_in(facts[i], "l/random/manifest.json");
}

static void tile_files(void **state)
{
    static char names[64][128];
    program_expect(
        "lab tile --out t --families mlp,resnet --programs 2 --configs 20 --kernels 3" SMALL, 0, "",
        "");
    const int files = list_files(names, "t", ".npz");
    int64_t dots = 0;
    assert_true(files >= 2 && files <= 6);
    for (int i = 0; i < files; i++) {
        const char *path = formatted("t/%s.npz", names[i]);
        lab_program p = {0};
        assert_int_equal(lab_text_load(&p, formatted("t/%s.txt", names[i])), AG_OK);
        assert_string_equal(p.name, names[i]);
        ag_npz *npz = open_npz(path);
        const int64_t c = ag_npz_find(npz, "config_runtime")->size[0];
        const wanted w[] = {{"config_feat", AG_F32, 2, {c, 24}},
                            {"config_runtime", AG_I64, 1, {c}},
                            {"config_runtime_normalizers", AG_I64, 1, {c}}};
        check_arrays(npz, p.n, w, 3);
        dots += check_operands(npz, &p);
        assert_true(c >= 4 && c <= 20);
        int64_t *ns = read_all(npz, "config_runtime", AG_I64, NULL);
        int64_t *norm = read_all(npz, "config_runtime_normalizers", AG_I64, NULL);
        float *config = read_all(npz, "config_feat", AG_F32, NULL);
        for (int64_t k = 0; k < c; k++) {
            int tile[24];
            assert_int_equal(norm[k], ns[0]); /* the default's */
            for (int j = 0; j < 24; j++) tile[j] = (int)config[24 * k + j];
            assert_true(lab_tile_valid(&p, tile));
        }
        close_npz(npz);
        lab_program_clear(&p);
        tpu_data read = {0};
        expect_ok(test_tpu_add(&read, path, new_failure()));
        assert_int_equal(read.kernel[0].configs, c);
        tpu_data_free(&read);
    }
    assert_true(dots > 0);
}

static void finished_programs_are_skipped(void **state)
{
    static const char line[] = "lab layout --out r --families mlp --programs 3 --configs 16" ROUGH;
    static const char *const files[] = {"r/random/mlp_0.npz", "r/random/mlp_2.npz"};
    program_expect(line, 0, "", "3 files written");
    const uint64_t before[] = {program_hash_of(files[0]), program_hash_of(files[1])};
    program_expect(line, 0, "", "3 of them had their file");
    assert_int_equal(unlink("r/random/mlp_1.npz"), 0);
    program_expect(line, 0, "", "2 of them had their file");
    for (int i = 0; i < 2; i++) assert_true(program_hash_of(files[i]) == before[i]);
    assert_int_equal(access("r/random/mlp_1.npz", F_OK), 0);
    program_expect("lab tile --out r/random" SMALL, 2, "", "r/random holds layout files");
}

/* After a kill at any time, files with their final names are whole, and the same command
   finishes. */
static void a_kill_leaves_no_half_file(void **state)
{
    static const char line[] =
        "lab layout --out k --families mlp,lstm --programs 12 --configs 32" SMALL;
    static char names[64][128];
    int seen = 0;
    for (int i = 1; i <= 4; i++) {
        const pid_t child = program_start(line);
        usleep((useconds_t)(30000 * i));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        const int n = list_files(names, "k/random", ".npz");
        assert_true(n >= seen);
        seen = n;
        for (int f = 0; f < n; f++)
            tgraph_file_close(
                test_file_open(formatted("k/random/%s.npz", names[f]), test_unique(), NULL));
    }
    program_expect(line, 0, "", "");
    assert_int_equal(list_files(names, "k/random", ".npz"), 12);
    assert_int_equal(list_files(names, "k/random", ".txt"), 12);
}

/* Seconds of the processor that the programs called so far used, without other work on the
   machine. */
static double processor_seconds(void)
{
    struct rusage u;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &u), 0);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Programs get shares of the time, so several are done within a part of the time for all, which is
   hours. A machine that is busy with other work is given more time. */
static void the_time_is_kept(void **state)
{
    static char names[64][128];
    int n = 0;
    for (int try = 0; try < 7 && n < 2; try++) {
        const double minutes = 0.03 * (1 << try), before = processor_seconds();
        program_expect_line(
            0, "", "files written",
            "lab layout --out b%d --programs 60 --configs 100000 --minutes %g" ROUGH, try, minutes);
        assert_true(processor_seconds() - before < 60 * minutes + 4); /* leave to a slow one */
        n = list_files(names, formatted("b%d/random", try), ".npz");
    }
    assert_in_range(n, 2, 60);
}

static void noisy_files_are_dropped(void **state)
{
    static char names[64][128];
    static const char line[] = "lab layout --out d --families mlp --programs 1 --configs 40"
                               " --noise 0" BRIEF;
    program_expect(line, 0, "", "mlp_0: dropped");
    assert_int_equal(list_files(names, "d/random", ".npz"), 0);
    program_expect_in("\"dropped\": true", "d/random/manifest.json");

    /* The same command tries it again. There is no file that other options could contradict, and a
       call that bears more noise keeps it. */
    program_expect(line, 0, "", "1 files that were dropped as noise are tried again");
    assert_int_equal(list_files(names, "d/random", ".npz"), 0);
    program_expect("lab layout --out d --families mlp --programs 1 --configs 41" ROUGH, 0, "",
                   "1 files written");
    assert_int_equal(list_files(names, "d/random", ".npz"), 1);
    program_expect_in("\"dropped\": false", "d/random/manifest.json");
}

/* A fifth of the configurations were slowed by 30 %, which the 68th percentile does not show. */
static void slowed_parts_are_noise(void **state)
{
    enum { N = 100 };
    lab_timing timing[N] = {{0}};
    lab_sheet sheet = {.timing = timing, .n = N, .again = LAB_AGAIN, .before = {.samples = 4}};
    const lab_counts now = {.samples = 9};
    for (int i = 0; i < N; i++) timing[i].ns = 199000 - 1000 * i;
    for (int i = 0; i < LAB_AGAIN; i++) sheet.first[i] = sheet.second[i] = timing[4 * i].ns;
    json_decref(lab_sheet_facts(&sheet, &now, 0.1));
    assert_int_equal(sheet.dropped, 0);
    for (int i = 0; i < LAB_AGAIN; i += 5) sheet.first[i] = sheet.first[i] * 13 / 10;
    json_t *facts = lab_sheet_facts(&sheet, &now, 0.1);
    assert_int_equal(sheet.dropped, 1);
    assert_true(fabs(json_number_value(json_object_get(facts, "largest_difference")) - log(1.3)) <
                1e-4);
    assert_int_equal(program_number(facts, "fastest_ns"), 100000);
    assert_int_equal(program_number(facts, "slowest_ns"), 199000);
    assert_int_equal(program_number(facts, "samples"), 5);
    assert_true(json_number_value(json_object_get(facts, "spread")) > 0.2);
    json_decref(facts);
    json_decref(lab_sheet_facts(&sheet, &now, 1)); /* --noise 1 */
    assert_int_equal(sheet.dropped, 0);
    ag_arena_free(sheet.memory);
}

/* The file of --text may change during a long call, or be a pipe. */
static void a_text_is_read_once(void **state)
{
    const char *path = "once.txt";
    const lab_settings s = {.text = {&path, 1}};
    lab_program p;
    program_write_text(path, "program once test\na = f32[4] parameter()\nb = f32[4] tanh(a)\n");
    lab_source *list = lab_sources(&s, new_failure());
    expect_ok(last_failure()->status);
    assert_int_equal(bag_count(list), 1);
    assert_int_equal(remove(path), 0);
    expect_ok(lab_source_program(&p, &list[0], 1, new_failure()));
    assert_string_equal(p.name, "once");
    assert_int_equal(p.n, 2);
    lab_program_clear(&p);
    lab_sources_free(list);
}

int main(void)
{
    return RUN_TESTS_WITH(program_folder_make, test_folder_remove, layout_files, tile_files,
                          finished_programs_are_skipped, a_kill_leaves_no_half_file,
                          the_time_is_kept, noisy_files_are_dropped, slowed_parts_are_noise,
                          a_text_is_read_once);
}
