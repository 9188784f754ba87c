/* SPDX-License-Identifier: MIT */
/* The same bytes: from run to run, with 1 and 2 threads, interrupted and resumed, killed and
   resumed. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "augur.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define SMALL                                                                                \
 " --hidden 16 --embedding 8 --kernels 4 --configs 4 --quiet --no-baselines --eval-every 30" \
 " --save-every 23 --log-every 4"
#define TILES \
 " --data a_0_0000000a.npz b_0_0000000b.npz c_0_0000000c.npz --valid d_1_0000000d.npz" SMALL
#define FUSION " --data f_0.npz g_0.npz --valid h_1.npz" SMALL

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_tile("a_0_0000000a.npz", 30, 0);
    program_write_tile("b_0_0000000b.npz", 20, 1);
    program_write_tile("c_0_0000000c.npz", 3, 2);
    program_write_tile("d_1_0000000d.npz", 12, 3);
    program_write_fusion("f_0.npz", 20, 0);
    program_write_fusion("g_0.npz", 30, 1);
    program_write_fusion("h_1.npz", 15, 2);
    return 0;
}

/* Every graph network and reduction has its own order of sums. */
static void three_runs_and_two_threads(void **state)
{
    static const char *const model[] = {
        TILES " --gnn sage --reduction lstm", TILES " --gnn gat --reduction transformer",
        TILES " --gnn none --reduction column --module-layers 2 --tile-at kernel",
        FUSION " --gnn sage --reduction transformer --direction undirected --module-l2",
        FUSION " --gnn gat --reduction node"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        char line[600], one[32], run[32];
        snprintf(one, sizeof one, "m%d-1", i);
        for (int k = 1; k <= 3; k++) {
            snprintf(run, sizeof run, "m%d-%d", i, k);
            snprintf(line, sizeof line, "tpu train --out %s --steps 20 --threads %d%s", run,
                     1 + k / 3, model[i]);
            program_expect(line, 0, "", "");
            if (k > 1) program_expect_same(one, run);
        }
    }
    program_expect("tpu train --out seed --steps 20 --seed 1" TILES " --gnn sage --reduction lstm",
                   0, "", "");
    assert_true(program_hash_of("m0-1/last.safetensors") !=
                program_hash_of("seed/last.safetensors"));
}

/* The linker calls this for ag_adamw_step: a child gets a signal in the step that is asked for. */
static int stop_step, stop_signal;
ag_status __real_ag_adamw_step(ag_params *, const ag_adamw *, double, ag_failure *);
ag_status __wrap_ag_adamw_step(ag_params *params, const ag_adamw *options, double lr,
                               ag_failure *why)
{
    if (stop_step && --stop_step == 0) raise(stop_signal);
    return __real_ag_adamw_step(params, options, lr, why);
}

enum { STEPS = 100, SAVE_EVERY = 23 /* of SMALL */ };

/* Stops in a random step, then twice in a random one of those that are left, and finishes. */
static void stop_at_random(ag_random *r, int signal, int code, const char *train, const char *whole)
{
    char line[500], folder[64];
    int done = 0;
    snprintf(folder, sizeof folder, "%s-%d", whole, signal);
    snprintf(line, sizeof line, "tpu train --out %s --threads 1 --steps %d%s", folder, STEPS,
             train);
    for (int k = 0; k < 3 && done < STEPS; k++) {
        const int step = 1 + (int)ag_random_below(r, (uint32_t)(STEPS - done));
        stop_step = step;
        stop_signal = signal;
        const program_outcome o = program_call(line);
        if (o.code != code)
            fail_msg("signal %d in step %d: exit %d: %s", signal, done + step, o.code, o.err);
        done += step;
        if (signal == SIGKILL) done = (done - 1) / SAVE_EVERY * SAVE_EVERY;
        snprintf(line, sizeof line,
                 "tpu train --out %s --resume --threads 1 --quiet --no-baselines", folder);
    }
    stop_step = 0;
    program_expect(line, 0, "", "");
    program_expect_same(folder, whole);
}

static void stopped_at_random(void **state)
{
    char line[500];
    ag_random r = program_random();
    (void)state;
    for (int fusion = 0; fusion < 2; fusion++) {
        const char *train = fusion ? FUSION : TILES, *whole = fusion ? "fusion" : "tiles";
        snprintf(line, sizeof line, "tpu train --out %s --threads 2 --steps %d%s", whole, STEPS,
                 train);
        program_expect(line, 0, "", "");
        stop_at_random(&r, SIGINT, 130, train, whole);
        stop_at_random(&r, SIGTERM, 130, train, whole);
        stop_at_random(&r, SIGKILL, -1, train, whole);
    }
}

/* The signal comes when all is done but the scores and the report. */
static void stopped_behind_the_last_step(void **state)
{
    (void)state;
    stop_step = 8;
    stop_signal = SIGINT;
    program_outcome o = program_expect("tpu train --out last --steps 8 --data f_0.npz g_0.npz "
                                       "--valid h_1.npz --hidden 16 --kernels 4",
                                       130, "",
                                       "tpu: interrupted after all 8 steps, before the scores and "
                                       "the report were ready; make them with --resume\n");
    assert_null(strstr(o.err, "baselines"));
    assert_null(strstr(o.err, "the run is in"));
    stop_step = 0;
    o = program_expect("tpu train --out last --resume", 0, "roofline",
                       "the run is in last; open last/report.html");
    assert_null(strstr(o.err, "interrupted"));
    stop_step = 3;
    program_expect("tpu train --out early --steps 8 --data f_0.npz g_0.npz --hidden 16", 130, "",
                   "tpu: interrupted after step 3 of 8; go on with --resume\n");
    stop_step = 0;
}

/* The linker calls this for ag_npz_open: a child gets a signal with the file that is asked for. */
static int stop_file;
ag_npz *__real_ag_npz_open(const char *, size_t, ag_failure *);
ag_npz *__wrap_ag_npz_open(const char *path, size_t limit, ag_failure *why)
{
    if (stop_file && --stop_file == 0) raise(SIGINT);
    return __real_ag_npz_open(path, limit, why);
}

/* Training files that are not read to the end are none that have changed. */
static void stopped_before_the_baselines(void **state)
{
    (void)state;
    stop_file = 2;
    const program_outcome o = program_call("tpu eval --run last --data h_1.npz");
    stop_file = 0;
    assert_int_equal(o.code, 130);
    assert_string_equal(o.err, "");
}

/* Options that would change the result are refused, with their names. */
static void refused(void **state)
{
    (void)state;
    program_expect("tpu train --out seed --resume --learning-rate 0.5", 2, "",
                   "--resume: learning-rate is 0.5");
    program_expect("tpu train --out seed --resume --reduction node", 2, "", "--resume: reduction");
    program_expect("tpu train --out seed --resume --preset gat-lstm-tile", 2, "", "--resume: ");
    program_expect("tpu train --out seed --resume --data a_0_0000000a.npz", 2, "",
                   "--resume: data");
    program_expect("tpu train --out seed" TILES, 2, "", "is not empty");
    const uint64_t before = program_hash_of("seed/last.safetensors");
    program_expect("tpu train --out seed --resume --threads 2 --quiet --no-baselines", 0,
                   "TPU model", "");
    assert_true(program_hash_of("seed/last.safetensors") == before);
    program_write_tile("a_0_0000000a.npz", 31, 0);
    program_expect("tpu train --out seed --resume --quiet", 2, "", "the data have changed");
    program_write_tile("a_0_0000000a.npz", 30, 0);
}

/* ---- damaged checkpoints ---- */

static char *whole;
static long whole_bytes;

static void put(const char *name, const char *bytes, long count)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, (size_t)count, file) == (size_t)count);
    fclose(file);
}

/* A study that was interrupted is no run to --resume. */
static void stopped_study(void **state)
{
    static const char
        study[] = "[study]\nseeds = 0\n[all]\n",
        call[] = "tpu ablate --study study.ini --out study --steps 8 --data f_0.npz g_0.npz "
                 "--valid h_1.npz --hidden 16";
    (void)state;
    put("study.ini", study, sizeof study - 1);
    stop_step = 3;
    program_outcome o = program_expect(
        call, 130, "", "tpu: interrupted after step 3 of 8; the same command goes on\n");
    stop_step = 8 - 3;
    o = program_expect(call, 130, "", "were ready; the same command makes them\n");
    assert_null(strstr(o.err, "--resume"));
    stop_step = 0;
    program_expect(call, 0, "all", "");
}

static void take(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    whole_bytes = ftell(file);
    whole = malloc((size_t)whole_bytes);
    rewind(file);
    assert_true(fread(whole, 1, (size_t)whole_bytes, file) == (size_t)whole_bytes);
    fclose(file);
}

/* Checkpoints are read by code that has tests of its own (test_checkpoint_damage.c): here the
   program's way to it. */
static void damaged(void **state)
{
    (void)state;
    program_expect(
        "tpu train --out small --steps 3 --threads 1 --hidden 8 --embedding 1 --gnn none "
        "--node-layers 0 --reduction node --quiet --no-baselines --data a_0_0000000a.npz",
        0, "", "");
    take("small/best.safetensors");
    ag_random r = program_random();
    for (int k = 0; k < 40; k++) {
        const long bytes = k < 4 ? k : (long)ag_random_below(&r, (uint32_t)whole_bytes);
        put("small/best.safetensors", whole, bytes);
        program_expect("tpu predict --run small --data a_0_0000000a.npz", 3, "",
                       "best.safetensors");
    }
    for (int k = 0; k < 60; k++) {
        const uint32_t bit = ag_random_below(&r, (uint32_t)whole_bytes * 8);
        whole[bit / 8] = (char)(whole[bit / 8] ^ 1 << bit % 8);
        put("small/best.safetensors", whole, whole_bytes);
        program_expect("tpu predict --run small --data a_0_0000000a.npz", 3, "",
                       "best.safetensors");
        whole[bit / 8] = (char)(whole[bit / 8] ^ 1 << bit % 8);
    }
    put("small/best.safetensors", whole, whole_bytes);
    program_expect("tpu predict --run small --data a_0_0000000a.npz", 0, "group,item", "");
    free(whole);
    take("small/last.safetensors");
    whole[whole_bytes - 9] ^= 4;
    put("small/last.safetensors", whole, whole_bytes);
    program_expect("tpu train --out small --resume --quiet", 3, "", "last.safetensors");
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_runs_and_two_threads),
        cmocka_unit_test(stopped_at_random),
        cmocka_unit_test(stopped_behind_the_last_step),
        cmocka_unit_test(stopped_study),
        cmocka_unit_test(stopped_before_the_baselines),
        cmocka_unit_test(refused),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
