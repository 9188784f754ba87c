/* SPDX-License-Identifier: MIT */
/* A score has the same bits alone and in any batch, on any number of threads: whole predictions of
   tgraph (without cross-configuration attention, which compares configurations that are scored
   together), tpu and tpgnn are compared byte by byte. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#define LAYOUT    AG_SOURCE_DIR "/examples/data/layout/random/alexnet_0.npz"
#define TILE      AG_SOURCE_DIR "/examples/data/tile/alexnet_0_142fe441dc51af46.npz"
#define SCHEDULES AG_SOURCE_DIR "/examples/data/schedules/sum-rows_1024_256.npz"
#define FEW       " --steps 3 --eval-every 3 --quiet --no-baselines"

static char *predict(const char *program, const char *data, const char *how)
{
    const program_outcome o = program_expect_line(
        0, "", "", "%s predict --run run --quiet --data %s %s", program, data, how);
    return strdup(o.out);
}

/* Trains a small model and predicts in batches of one, of a few, and of all. */
static void check(const char *program, const char *data, const char *options, const char *batch)
{
    static const char *const how[][2] = {
        {"1", "--threads 1"}, {"1", "--threads 2"}, {"7", "--threads 1"}, {"150", "--threads 4"}};
    program_expect_line(0, "", "", "%s train --out run --force --data %s" FEW " %s", program, data,
                        options);
    char *whole = predict(program, data, "--threads 1");
    assert_true(strlen(whole) > 200);
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        const char *line = formatted("%s %s %s", batch, how[i][0], how[i][1]);
        char *text = predict(program, data, line);
        if (strcmp(text, whole) != 0)
            fail_msg("%s %s: other scores with %s", program, options, line);
        free(text);
    }
    free(whole);
}

static void of_tgraph(void **state)
{
    check("tgraph", LAYOUT, "--split 0.8 --no-cross --hidden 48 --configs 16", "--eval-configs");
}

static void of_tpu(void **state)
{
    static const char *const models[] = {
        "--gnn sage --reduction lstm", "--gnn gat --reduction transformer",
        "--gnn sage --reduction column --tile-at kernel", "--gnn none --reduction node"};
    for (int i = 0; i < 4; i++) {
        const char *options =
            formatted("--hidden 40 --kernels 1 --configs 4 --valid " TILE " %s", models[i]);
        check("tpu", TILE, options, "--eval-samples");
    }
}

static void of_tpgnn(void **state)
{
    static const char *const models[] = {"--preset statements", "--network paper --conv graph",
                                         "--network paper --conv gcn --pool sag"};
    for (int i = 0; i < 3; i++) {
        const char *options =
            formatted("--hidden 40 --tasks 1 --schedules 4 --valid " SCHEDULES " %s", models[i]);
        check("tpgnn", SCHEDULES, options, "--eval-graphs");
    }
}

static void ask_for_a_typo(void) { setenv("AUGUR_ISA", "avx-2", 1); }
static void switch_to_a_typo(void) { setenv("AUGUR_FUSE", "of", 1); }

static void words_of_the_environment(void **state)
{
    program_before = switch_to_a_typo;
    program_expect("tgraph inspect " LAYOUT, 2, "",
                   "AUGUR_FUSE is \"of\", but must be 0 (off, no, false) or 1 (on, yes, true)");
    program_before = ask_for_a_typo;
    program_expect("tgraph inspect " LAYOUT, 2, "",
                   "AUGUR_ISA is \"avx-2\", but must be avx512, avx2 or sse2");
    program_before = NULL;
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, of_tgraph, of_tpu, of_tpgnn,
                          words_of_the_environment);
}
