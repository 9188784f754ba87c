/* SPDX-License-Identifier: MIT */
/* The same bytes: from run to run, with 1 and 2 threads, interrupted and resumed, killed and
   resumed. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
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

#include "augur.h"

#define DATA " --data a.npz b.npz --split 0.8 --hidden 16 --configs 8 --quiet --no-baselines"
#define LONG DATA " --steps 150 --eval-every 30 --save-every 23 --log-every 4 --eval-limit 6"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_layout("a.npz", 60, 0);
    program_write_layout("b.npz", 40, 1);
    program_write_tile("t.npz", 30, 0);
    program_write_tile("u.npz", 20, 1);
    return 0;
}

static void three_runs_and_two_threads(void **state)
{
    (void)state;
    program_expect("tgraph train --out r1 --steps 20 --threads 1" DATA, 0, "", "");
    program_expect("tgraph train --out r2 --steps 20 --threads 1" DATA, 0, "", "");
    program_expect("tgraph train --out r3 --steps 20 --threads 2" DATA, 0, "", "");
    program_expect_same("r1", "r2");
    program_expect_same("r1", "r3");
    program_expect("tgraph train --out r4 --steps 20 --seed 1" DATA, 0, "", "");
    assert_true(program_hash_of("r1/last.safetensors") != program_hash_of("r4/last.safetensors"));
}

/* Sends the signal when metrics.jsonl has reached different lengths; then the run is resumed. */
static void stop_and_resume(int signal, int code, const char *train, const char *whole)
{
    static const long lengths[] = {0, 150, 600, 1100, 1600};
    char line[400], name[100], folder[64];
    int caught = 0;
    for (int k = 0; k < 5; k++) {
        snprintf(folder, sizeof folder, "%s-%d-%d", whole, signal, k);
        snprintf(name, sizeof name, "%s/%s", folder, k ? "metrics.jsonl" : "config.json");
        snprintf(line, sizeof line, "tgraph train --out %s --threads %d%s", folder, 1 + k % 2,
                 train);
        const program_outcome o = program_call_signal(line, signal, name, lengths[k]);
        if (o.code == 0) continue; /* it finished first */
        assert_int_equal(o.code, code);
        caught++;
        snprintf(line, sizeof line, "tgraph train --out %s --resume --quiet --no-baselines",
                 folder);
        program_expect(line, 0, "", "");
        program_expect_same(folder, whole);
    }
    assert_true(caught >= 2);
}

static void interrupted(void **state)
{
    (void)state;
    program_expect("tgraph train --out whole" LONG, 0, "", "");
    stop_and_resume(SIGINT, 130, LONG, "whole");
    stop_and_resume(SIGTERM, 130, LONG, "whole");
}

static void killed(void **state)
{
    (void)state;
    stop_and_resume(SIGKILL, -1, LONG, "whole");
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

/* Stops in a random step, then twice in a random one of those that are left, and finishes. */
static void stop_at_random(ag_random *r, int signal, int code)
{
    enum { STEPS = 150, SAVE_EVERY = 23 }; /* of LONG */
    char line[400], folder[64];
    int done = 0;
    snprintf(folder, sizeof folder, "random-%d", signal);
    snprintf(line, sizeof line, "tgraph train --out %s --threads 1%s", folder, LONG);
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
                 "tgraph train --out %s --resume --threads 1 --quiet --no-baselines", folder);
    }
    stop_step = 0;
    program_expect(line, 0, "", "");
    program_expect_same(folder, "whole");
}

static void stopped_at_random(void **state)
{
    (void)state;
    ag_random r = program_random();
    stop_at_random(&r, SIGINT, 130);
    stop_at_random(&r, SIGTERM, 130);
    stop_at_random(&r, SIGKILL, -1);
}

/* The signal comes when all is done but the scores and the report. */
static void stopped_behind_the_last_step(void **state)
{
    (void)state;
    stop_step = 5;
    stop_signal = SIGINT;
    program_expect("tgraph train --out last --data a.npz --split 0.5 --hidden 16 --steps 5", 130,
                   "",
                   "tgraph: interrupted after all 5 steps, before the scores and the report were "
                   "ready; make them with --resume\n");
    stop_step = 0;
    program_expect("tgraph train --out last --resume", 0, "Held-out",
                   "the run is in last; open last/report.html");
}

#define TILE \
 " --data t.npz u.npz --folds 2 --hidden 16 --quiet --no-baselines --steps 120 --save-every 17"

static void tiles(void **state)
{
    (void)state;
    program_expect("tgraph train --out tiles" TILE, 0, "", "");
    stop_and_resume(SIGINT, 130, TILE, "tiles");
}

/* Options that would change the result are refused, with their names. */
static void refused(void **state)
{
    (void)state;
    program_expect("tgraph train --out r1 --resume --learning-rate 0.5", 2, "",
                   "--resume: learning-rate is 0.5");
    program_expect("tgraph train --out r1 --resume --direction both", 2, "", "--resume: direction");
    program_expect("tgraph train --out r1 --resume --data a.npz", 2, "", "--resume: data");
    program_expect("tgraph train --out r1" DATA, 2, "", "is not empty");
    program_expect("tgraph train --out r1 --resume --threads 2 --quiet --no-baselines", 0, "a.npz",
                   "");
    program_expect_same("r1", "r2");
    program_write_layout("a.npz", 61, 0);
    program_expect("tgraph train --out r1 --resume --quiet", 2, "", "the data have changed");
    program_write_layout("a.npz", 60, 0);
}

/* A damaged or foreign checkpoint is a sentence. */
static void damaged(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/r2/last.safetensors", test_folder);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -40, SEEK_END);
    fputc(77, file);
    fclose(file);
    program_expect("tgraph train --out r2 --resume --quiet", 3, "", "last.safetensors");
    program_expect("tgraph predict --run r2 --checkpoint last --data a.npz", 3, "",
                   "last.safetensors");
    snprintf(path, sizeof path, "%s/r3/best.safetensors", test_folder);
    file = fopen(path, "wb");
    const uint8_t foreign[] = {24, 0, 0, 0, 0, 0, 0, 0};
    fwrite(foreign, 1, 8, file);
    fputs("{\"__metadata__\":{}}     ", file);
    fclose(file);
    program_expect("tgraph predict --run r3 --data a.npz", 3, "", "r3/best.safetensors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_runs_and_two_threads),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(killed),
        cmocka_unit_test(stopped_at_random),
        cmocka_unit_test(stopped_behind_the_last_step),
        cmocka_unit_test(tiles),
        cmocka_unit_test(refused),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
