/* SPDX-License-Identifier: MIT */
/* predict and eval in parts, for every model: joined, their results have the bytes of one call; and
   files of scores that cannot be joined. */
#include "support/test.h"
#include "examples/harness/model/outputs.h"
#include "examples/tgraph/program.h"
#include "support/files.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 3 };
static const char *data; /* PARTS files, of which two differ only in the folder */

static void name_files(const program_model *m)
{
    static char text[300];
    mkdir("d", 0777);
    const char *copy = formatted("d/%s", m->data);
    unlink(copy);
    assert_int_equal(link(m->data, copy), 0);
    snprintf(text, sizeof text, "%s %s %s", m->data, copy, program_model_first(m));
    data = text;
}

static int make_runs(void **state)
{
    if (program_models_make(state) || chdir(test_folder)) return -1;
    for (const program_model *m = program_models; m->name; m++)
        for (int i = 1; i <= 2; i++)
            program_train(m, formatted("%s-%d", m->name, i),
                          formatted(" --steps 2 --seed %d" PROGRAM_QUIET, i), 0);
    return 0;
}

/* Returns the stdout of the call, until the next but one. */
static const char *call(const program_model *m, const char *command, const char *more)
{
    static program_outcome outcome[2];
    static int turn;
    turn = !turn;
    outcome[turn] = program_expect_line(0, "", "", "%s %s --run %s-1 --threads 1 --data %s %s",
                                        m->program->name, command, m->name, data, more);
    return outcome[turn].out;
}

/* ---- predict ---- */

static void predictions_in_parts(void **state)
{
    static char joined[98304];
    for (const program_model *m = program_models; m->name; m++) {
        name_files(m);
        char *whole = strdup(call(m, "predict", ""));
        for (int parts = 1; parts <= PARTS; parts++) {
            *joined = 0;
            for (int i = 1; i <= parts; i++) {
                const char *text = call(m, "predict", formatted("--part %d/%d", i, parts));
                strcat(joined, i == 1 ? text : strchr(text, '\n') + 1);
            }
            assert_string_equal(joined, whole);
        }
        free(whole);
    }
}

/* ---- eval ---- */

static void keep_scores(const program_model *m, const char *more, int parts)
{
    for (int i = 1; i <= parts; i++)
        assert_string_equal(
            call(m, "eval", formatted("%s --part %d/%d --scores s-%d.npz", more, i, parts, i)), "");
}

/* The last call may score more or fewer items together, unless scores depend on it. */
static const char *last_call(const program_model *m, const char *more, const char *files)
{
    const char *pieces = m->program == &tgraph_program_table ? "" : m->pieces;
    return call(m, "eval", formatted("%s %s --scores %s", more, pieces, files));
}

/* With the baselines, and with the mean of two networks. */
static void tables_of_parts(void **state)
{
    static const char *const files[] = {"", "s-1.npz", "s-2.npz s-1.npz",
                                        "s-2.npz s-3.npz s-1.npz"};
    for (const program_model *m = program_models; m->name; m++) {
        name_files(m);
        char *whole = strdup(call(m, "eval", ""));
        for (int parts = 1; parts <= PARTS; parts++) {
            const char *more = parts < PARTS ? "" : formatted("--ensemble %s-2", m->name);
            keep_scores(m, more, parts);
            if (parts == PARTS) more = formatted("%s --json", more);
            const char *joined = last_call(m, more, files[parts]);
            assert_true(strlen(joined) > 100);
            assert_string_equal(joined, parts < PARTS ? whole : call(m, "eval", more));
        }
        free(whole);
    }
}

/* Of a share in which all run times are hidden one call says so, and scores the others. */
static void a_share_without_run_times(void **state)
{
    static const int models[] = {0, 1}; /* a network that holds out, and one that does not */
    static test_layout hidden;
    test_layout_make(&hidden);
    memset(hidden.runtime, 0, sizeof hidden.runtime);
    assert_true(test_arrays_write(test_file("hidden.npz"), hidden.array, hidden.arrays));
    data = "b.npz hidden.npz";
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const program_model *m = &program_models[models[i]];
        keep_scores(m, "", 2);
        const char *joined = call(m, "eval", "--scores s-1.npz s-2.npz");
        assert_string_equal(joined, call(m, "eval", ""));
    }
}

/* ---- files of scores that say something else ---- */

static void write_share(const char *name, const int64_t *share, const float *value, int64_t count)
{
    const test_array array[] = {{"share", AG_I64, 1, {3}, share},
                                {"run-1", AG_F32, 1, {count}, value}};
    assert_true(test_arrays_write(test_file(name), array, 2));
}

static void expect_refused(int code, const char *name, const char *sentence)
{
    program_expect_line(code, "", sentence, "tgraph eval --run layout-1 --data %s --scores %s",
                        data, name);
}

/* The table of other scores is another one, so no network was run. */
static void scores_are_taken(void **state)
{
    ag_shape size = {0}, any = {0};
    char other[4000];
    name_files(program_models);
    keep_scores(program_models, "", 1);
    int64_t *share = expect_made(ag_npz_load("s-1.npz", "share", AG_I64, &any, new_failure()));
    float *value = expect_made(ag_npz_load("s-1.npz", "run-1", AG_F32, &size, new_failure()));
    const int n = size.size[0];
    for (int i = 0; i < n; i++) value[i] = -value[i];
    write_share("other.npz", share, value, n);
    snprintf(other, sizeof other, "%s", call(program_models, "eval", "--scores other.npz"));
    assert_string_not_equal(other, call(program_models, "eval", "--scores s-1.npz"));
    write_share("few.npz", share, value, n - 1);
    expect_refused(3, "few.npz", formatted("hold %d scores, but --data has %d items", n - 1, n));
    value[3] = NAN;
    write_share("nan.npz", share, value, n);
    expect_refused(3, "nan.npz", "--scores: nan.npz: value 3 of run-1 is nan; make the file again");
    share[1] = 2;
    write_share("two.npz", share, value, n);
    expect_refused(2, "two.npz", "two.npz was made with another --run, --data or option");
    ag_free(share);
    ag_free(value);
}

/* ---- calls that cannot work ---- */

static const struct {
    int code;
    const char *call, *sentence;
} wrong[] = {
    {2, "predict --part 0/3", "--part: \"0/3\" is not a share; write I/N"},
    {2, "predict --part 1/4", "--part: 1/4 is a share of 3 files, so some shares would be empty"},
    {2, "eval --part 1/3", "--part: 1/3 has no effect, since it needs --scores"},
    {2, "eval --part 1/3 --scores x --json", "--json: a share of eval prints no results"},
    {2, "eval --part 1/3 --scores x --fit b.npz", "--fit: b.npz has no effect, since it needs"},
    {2, "eval --part 1/3 --scores x y", "it is the file to write, but 2 are named"},
    {2, "eval --part 1/3 --scores b.npz", "--scores: b.npz is a file of --data, which would be"},
    {2, "eval --part 1/3 --scores plain-1/best.safetensors", "is a file of the run plain-1"},
    {3, "eval --part 1/3 --scores no/x.npz", "--scores: no/x.npz cannot be written"},
    {2, "eval --scores s-1.npz s-3.npz", "s-1.npz is share 1/3, but 2 files are named; name one"},
    {2, "eval --scores s-1.npz s-2.npz s-1.npz", "s-1.npz and s-1.npz are both share 1/3"},
    {2, "eval --scores s-1.npz half.npz", "s-1.npz is share 1/3, but 2 files are named"},
    {2, "eval --scores s-1.npz --ensemble plain-2",
     "s-1.npz was made with another --run, --data or"},
    {2, "eval --scores s-1.npz --eval-configs 7", "s-1.npz was made with another --run, --data or"},
    {2, "eval --scores s-1.npz --data a.npz", "s-1.npz was made with another --run, --data or"},
    {3, "eval --scores none.npz", "cannot open none.npz"},
    {3, "eval --scores a.npz", "there is no array \"share\""},
    {3, "eval --scores cut.npz", "cut.npz"},
};

/* Those that only calibrate are not results of the call, which would look at them. */
static void scores_that_are_not_finite_are_not_kept(void **state)
{
    ag_real value[] = {1, (ag_real)NAN};
    harness_outputs o = {.value = value, .count = 2, .room = 2};
    expect_ok(harness_outputs_keep(&o, "spoiled.npz", (harness_part){1, 2}, new_failure()));
    expect_ok(harness_outputs_end_run(&o, 0, new_failure()));
    expect_status(harness_outputs_save(&o, new_failure()), AG_EFINITE,
                  "--scores: run 1 of this call gives scores that are not");
    o.value = NULL;
    harness_outputs_free(&o);
    assert_int_equal(access("spoiled.npz", F_OK), -1);
}

static void wrong_calls(void **state)
{
    const program_model *m = &program_models[1];
    size_t bytes = 0;
    name_files(m);
    call(m, "eval", "--part 1/2 --scores half.npz");
    keep_scores(m, "", PARTS);
    char *text = files_get("s-2.npz", &bytes);
    assert_int_equal(files_put("cut.npz", text, bytes / 2), 0);
    free(text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *files = strstr(wrong[i].call, "--data") ? "" : formatted(" --data %s", data);
        program_expect_line(wrong[i].code, "", wrong[i].sentence, "tgraph %s --run plain-1%s",
                            wrong[i].call, files);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(make_runs, test_folder_remove, predictions_in_parts, tables_of_parts,
                          a_share_without_run_times, scores_are_taken,
                          scores_that_are_not_finite_are_not_kept, wrong_calls);
}
