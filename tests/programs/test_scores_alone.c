/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* setenv */
/* A score has the same bits alone and in any batch, on any number of threads: whole predictions of
   tgraph (without cross-configuration attention, which compares configurations that are scored
   together), tpu and tpgnn are compared byte by byte. */
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LAYOUT    AG_SOURCE_DIR "/examples/data/layout/random/alexnet_0.npz"
#define TILE      AG_SOURCE_DIR "/examples/data/tile/alexnet_0_142fe441dc51af46.npz"
#define SCHEDULES AG_SOURCE_DIR "/examples/data/schedules/sum-rows_1024_256.npz"
#define FEW       " --steps 3 --eval-every 3 --quiet --no-baselines"

static char *predict(const char *program, const char *data, const char *how)
{
    char line[700];
    snprintf(line, sizeof line, "%s predict --run run --quiet --data %s %s", program, data, how);
    program_outcome o = program_expect(line, 0, "", "");
    char *copy = malloc(strlen(o.out) + 1);
    assert_non_null(copy);
    return strcpy(copy, o.out);
}

/* Trains a small model and predicts in batches of one, of a few, and of all. */
static void check(const char *program, const char *data, const char *options, const char *batch)
{
    static const char *const how[][2] = {
        {"1", "--threads 1"}, {"1", "--threads 2"}, {"7", "--threads 1"}, {"150", "--threads 4"}};
    char line[900];
    snprintf(line, sizeof line, "%s train --out run --force --data %s" FEW " %s", program, data,
             options);
    program_expect(line, 0, "", "");
    char *whole = predict(program, data, "--threads 1");
    assert_true(strlen(whole) > 200);
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        snprintf(line, sizeof line, "%s %s %s", batch, how[i][0], how[i][1]);
        char *text = predict(program, data, line);
        if (strcmp(text, whole) != 0)
            fail_msg("%s %s: other scores with %s", program, options, line);
        free(text);
    }
    free(whole);
}

static void of_tgraph(void **state)
{
    (void)state;
    check("tgraph", LAYOUT, "--split 0.8 --no-cross --hidden 48 --configs 16", "--eval-configs");
}

static void of_tpu(void **state)
{
    static const char *const models[] = {
        "--gnn sage --reduction lstm", "--gnn gat --reduction transformer",
        "--gnn sage --reduction column --tile-at kernel", "--gnn none --reduction node"};
    char options[200];
    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(options, sizeof options, "--hidden 40 --kernels 1 --configs 4 --valid " TILE " %s",
                 models[i]);
        check("tpu", TILE, options, "--eval-samples");
    }
}

static void of_tpgnn(void **state)
{
    static const char *const models[] = {"--network stores", "--network paper --conv graph",
                                         "--network paper --conv gcn --pool sag"};
    char options[300];
    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(options, sizeof options,
                 "--hidden 40 --tasks 1 --schedules 4 --valid " SCHEDULES " %s", models[i]);
        check("tpgnn", SCHEDULES, options, "--eval-graphs");
    }
}

static void ask_for_a_typo(void) { setenv("AUGUR_ISA", "avx-2", 1); }

static void wrong_instructions(void **state)
{
    (void)state;
    program_before = ask_for_a_typo;
    program_expect("tgraph inspect " LAYOUT, 2, "",
                   "AUGUR_ISA is \"avx-2\", but must be avx512, avx2 or sse2");
    program_before = NULL;
}

static int begin(void **state)
{
    program_pictures = 0;
    return test_folder_make(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_tgraph),
        cmocka_unit_test(of_tpu),
        cmocka_unit_test(of_tpgnn),
        cmocka_unit_test(wrong_instructions),
    };
    return cmocka_run_group_tests(tests, begin, test_folder_remove);
}
