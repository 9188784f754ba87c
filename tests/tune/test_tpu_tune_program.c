/* SPDX-License-Identifier: MIT */
/* Whole calls of `tpu autotune`, each in a child of its own, and the lab's kernels as the model
   reads them. */
#include "support/test.h"
#include "examples/lab/nets/families.h"
#include "examples/tpu/program.h"
#include "examples/tune/tune.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#include <jansson.h>
#include <unistd.h>

#define DATA AG_SOURCE_DIR "/examples/data/"

/* Models that have hardly learned anything. */
static int make(void **state)
{
    if (program_folder_make(state)) return -1;
    program_expect("tpu train --data " DATA "fusion/mlp_0.npz --out fusion --steps 2 --hidden 8 "
                   "--embedding 8 --kernels 4 --threads 1 --quiet",
                   0, "", "");
    program_expect("tpu train --data " DATA
                   "tile/mixer_0_52ce4f2b060603c0.npz --out tile --steps 2 "
                   "--hidden 8 --embedding 8 --kernels 1 --threads 1 --quiet --seed 5",
                   0, "", "");
    return 0;
}

static void sentences(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *err;
    } wrong[] = {
        {"tpu autotune --out a", 2, "needs --run RUN or --model NAME, a tile or a fusion model"},
        {"tpu autotune --run fusion", 2, "--out RUN is missing"},
        {"tpu autotune --run none --out a", 3, "none/config.json"},
        {"tpu autotune --run tile --out a --verify 3", 2,
         "--verify: 3 has no effect, since it needs fusion files; change that, or omit verify"},
        {"tpu autotune --run fusion --out a --tiles 9", 2,
         "--tiles: 9 has no effect, since it needs tile files"},
        {"tpu autotune --run fusion --out a --families mpl", 2,
         "there is no family mpl; did you mean mlp?"},
        {"tpu autotune --run fusion --out a --text none.txt", 3, "none.txt"},
        {"tpu autotune --run fusion --out a --measurements 0", 2,
         "--measurements: 0 is out of range; it must be 1 to 1000000"},
        {"tpu autotune --run fusion --out a --verify -1", 2, "--verify: -1 is out of range"},
        {"tpu autotune --run fusion --out a --tiles 1", 2, "--tiles: 1 is out of range"},
        {"tpu autotune --run fusion --out a --core 900", 2,
         "--core is 900, which is not a core that the program may run on (0"},
        {"tpu autotune --run fusion --out a --data b", 2,
         "--data is not an option of tpu autotune"},
        {"tpu autotune --run fusion --out ./fusion --force", 2,
         "--out: ./fusion is the folder of --run, and its model would be lost; choose another"},
        {"tpu train --data " DATA "fusion/mlp_0.npz --out a --tiles 3", 2,
         "--tiles is not an option of tpu train (it belongs to autotune)"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        program_expect(wrong[i].line, wrong[i].code, "", wrong[i].err);
    assert_int_not_equal(access("a", F_OK), 0); /* nothing is made before all is in order */
}

/* A row for each of two programs, and the mean; columns: of program, kernels, time, speed-ups. */
static void check_rows(const json_t *rows, size_t columns, const char *column)
{
    double speedup = 0;
    assert_int_equal(json_array_size(rows), 3);
    for (size_t i = 0; i < 2; i++) {
        const char *key;
        json_t *value, *row = json_array_get(rows, i);
        assert_int_equal(json_object_size(row), columns);
        json_object_foreach(row, key, value)
            assert_true(json_is_string(value) || json_number_value(value) > 0);
        speedup += json_number_value(json_object_get(row, column));
    }
    const double mean = json_number_value(json_object_get(json_array_get(rows, 2), column));
    assert_true(fabs(2 * mean - speedup) < 1e-6);
    assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 2), "program")),
                        "mean");
}

static void whole_searches(void **state)
{
    static const char *const files[] = {"a/report.html", "a/config.json", "a/plots/fusion.tsv"};
    json_t *j = program_json(
        "tpu autotune --run fusion --families mlp,recommender --programs 2 --milliseconds 0.3 "
        "--measurements 4 --verify 2 --search-steps 30 --out a --threads 1 --json --quiet",
        "");
    check_rows(j, 3 + TUNE_SEARCHES, "learned random");
    json_decref(j);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) free(program_text_of(files[i]));
    j = json_load_file("a/autotune.json", 0, NULL);
    check_rows(j, 3 + TUNE_SEARCHES, "learned random");
    json_decref(j);
    /* Again into the same folder. */
    program_expect("tpu autotune --run tile --families mlp,recommender --programs 2 "
                   "--milliseconds 0.3 --tiles 4 --out a --force --threads 1",
                   0, "exhaustive", "the results are in a; open a/report.html");
    j = json_load_file("a/autotune.json", 0, NULL);
    check_rows(j, 3 + TUNE_CHOICES, "learned 1");
    json_decref(j);
    assert_int_not_equal(access("a/plots/fusion.tsv", F_OK), 0); /* of the call before */
    program_expect_in("learned 10", "a/report.html");
    program_expect_in("\"seed\": 0", "a/config.json"); /* its own seed, not the run's */
    program_expect_in("\"seed\": 5", "tile/config.json");
    program_expect("tpu autotune --run fusion --families mlp --programs 1 --minutes 1e-9 --out b",
                   2, "", "--minutes: 1e-09 are too short for the first of the 1 programs");
}

/* The features that training read from a file and those of the same kernels here are equal. */
static void kernels_look_as_in_files(void **state)
{
    lab_program p = {0};
    lab_fusion f = {0};
    tpu_data data = {0};
    const char *path = DATA "fusion/mlp_0.npz";
    expect_ok(lab_family_program(&p, "mlp", 0, 10, new_failure()));
    lab_fusion_draw(&f, &p, 3, 0);
    expect_ok(tpu_data_read(&data, &(harness_paths){&path, 1}, "data", new_failure()));
    assert_true(data.kernels >= f.n && data.kernel[0].dot && data.kernel[0].reducer);
    for (int i = 0; i < f.n; i++) {
        tpu_kernel k;
        const tpu_kernel *read = &data.kernel[i];
        tune_kernel_open(&k, &f.kernel[i]);
        const size_t n = (size_t)k.nodes;
        assert_int_equal(k.nodes, read->nodes);
        assert_int_equal(k.edges, read->edges);
        assert_memory_equal(k.feature, read->feature, n * TPUGRAPHS_FEATURES * sizeof(float));
        assert_memory_equal(k.opcode, read->opcode, n * sizeof *k.opcode);
        assert_memory_equal(k.reducer, read->reducer, n * sizeof *k.reducer);
        assert_int_equal(k.dots, read->dots);
        assert_memory_equal(k.dot, read->dot, (size_t)k.dots * sizeof *k.dot);
        assert_memory_equal(k.edge, read->edge, 2 * (size_t)k.edges * sizeof *k.edge);
        assert_memory_equal(k.analysis, read->analysis, sizeof k.analysis);
        tpu_kernel_free(&k);
    }
    tpu_data_free(&data);
    lab_fusion_clear(&f);
    lab_program_clear(&p);
}

/* A search cannot use infinity, nor 0, which marks a kernel without a price. */
static void wild_models_predict_times(void **state)
{
    enum { COUNT = 3 };
    lab_program p = {0};
    lab_fusion f = {0};
    harness_runs model = {0};
    double ns[COUNT], other[COUNT];
    const lab_configs configs = {.fusion = &f};
    const tpu_settings s = {
        .eval_samples = 64, .eval_nodes = 1024, .harness.common = {.threads = 1, .run = "fusion"}};
    expect_ok(harness_runs_open(&model, &tpu_hooks, &s.harness, new_failure()));
    expect_ok(lab_family_program(&p, "mlp", 0, 2, new_failure()));
    lab_fusion_draw(&f, &p, 2, 0);
    for (double offset = -1e4; offset <= 1e4; offset += 1e4) {
        ((tpu_trained *)model.run[0].net)->model.offset = offset;
        expect_ok(tune_model_predict(&model, &s, ns, &configs, (const int[COUNT]){2, 0, 1}, COUNT,
                                     new_failure()));
        for (int i = 0; i < COUNT; i++) assert_true(isfinite(ns[i]) && ns[i] > 0);
        expect_ok(tune_model_predict(&model, &s, other, &configs, (const int[COUNT]){0, 1, 2},
                                     COUNT, new_failure()));
        assert_true(other[2] == ns[0] && other[0] == ns[1] && other[1] == ns[2]);
        assert_int_equal(ns[0] != ns[1], offset == 0);
    }
    ((tpu_trained *)model.run[0].net)->model.offset = (double)NAN;
    expect_status(tune_model_predict(&model, &s, ns, &configs, (const int[COUNT]){2, 0, 1}, COUNT,
                                     new_failure()),
                  AG_EFINITE, "the score of item 2 is nan; the run is of no use");
    harness_runs_close(&model);
    lab_fusion_clear(&f);
    lab_program_clear(&p);
}

int main(void)
{
    return RUN_TESTS_WITH(make, test_folder_remove, sentences, whole_searches,
                          kernels_look_as_in_files, wild_models_predict_times);
}
