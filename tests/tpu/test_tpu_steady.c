/* SPDX-License-Identifier: MIT */
/* A run that has seen its shapes allocates no more memory; with shapes that vary from step to step
   memory grows to the size for the largest ones and stays there. */
#include "autograd/tape.h"
#include "core/internal.h"
#include "examples/tpu/shell.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_tile("a_0_0000000a.npz", 30, 0);
    program_write_tile("b_0_0000000b.npz", 20, 1);
    program_write_fusion("two_0.npz", 2, 0);
    program_write_fusion("f_0.npz", 60, 1);
    program_write_fusion("g_0.npz", 60, 2);
    return 0;
}

/* ---- where time goes: the linker calls this for ag__plan_find ---- */

static double planning;
ag_plan *__real_ag__plan_find(ag_tape *, ag_tensor *, int);
ag_plan *__wrap_ag__plan_find(ag_tape *tape, ag_tensor *wanted, int training)
{
    const double begin = harness_seconds();
    ag_plan *plan = __real_ag__plan_find(tape, wanted, training);
    planning += harness_seconds() - begin;
    return plan;
}

/* ---- runs ---- */

typedef struct outcome {
    long early, late; /* allocations of the second and of the last third */
    int plans;        /* made in all */
    int64_t steps;
} outcome;

enum { THIRD = 60 };

static outcome train(const char *first, const char *second, const char *const *more, int count)
{
    static int runs;
    char a[128], b[128], out[128];
    ag_failure why = {0};
    tpu_settings s;
    outcome o = {0};
    snprintf(a, sizeof a, "%s/%s", test_folder, first);
    snprintf(b, sizeof b, "%s/%s", test_folder, second);
    snprintf(out, sizeof out, "%s/run-%d", test_folder, runs++);
    const char *argv[32] = {"--data", a,           b,   "--out",   out,           "--steps",
                            "1000",   "--threads", "1", "--quiet", "--embedding", "8"};
    int argc = 12;
    for (int i = 0; i < count; i++) argv[argc++] = more[i];
    harness_options *options = harness_options_new(&tpu_program_table, HARNESS_TRAIN, &s);
    if (harness_options_argv(options, argc, (char **)argv, NULL, &why))
        fail_msg("%s", why.sentence);
    harness_session t = {
        .model = &tpu_shell, .settings = &s.shell, .options = options, .folder = out};
    if (harness_session_begin(&t, HARNESS_NEW, &why)) fail_msg("%s", why.sentence);
    long at[4];
    planning = 0;
    const double begin = harness_seconds();
    for (int third = 0; third < 3; third++) {
        at[third] = ag__allocations();
        for (int k = 0; k < THIRD; k++)
            if (harness_trainer_step(&t.trainer, &why)) fail_msg("%s", why.sentence);
    }
    at[3] = ag__allocations();
    const double all = harness_seconds() - begin;
    o = (outcome){at[2] - at[1], at[3] - at[2], (int)t.tape->plans_made, t.trained.state->step};
    print_message(
        "%s: %d plans in %d steps, allocations in thirds: %ld, %ld, %ld; finding or making "
        "plans takes %.1f %% of %.2f ms a step\n",
        first, o.plans, 3 * THIRD, at[1] - at[0], o.early, o.late, 100 * planning / all,
        1e3 * all / (3 * THIRD));
    harness_trainer_close(&t.trainer, &why);
    harness_session_close(&t);
    harness_options_free(options);
    return o;
}

/* Every kernel is in every step; tile kernels here have 5 nodes each. */
static void known_shapes(void **state)
{
    static const char *const small[] = {"--hidden", "16", "--configs", "4"};
    static const char *const two[] = {"--hidden", "16", "--kernels", "1"};
    (void)state;
    outcome o = train("a_0_0000000a.npz", "b_0_0000000b.npz", small, 4);
    assert_int_equal(o.plans, 1);
    assert_int_equal(o.early + o.late, 0);
    o = train("two_0.npz", "two_0.npz", two, 4); /* a kernel a step */
    assert_int_equal(o.plans, 2);
    assert_int_equal(o.early + o.late, 0);
    assert_int_equal(o.steps, 3 * THIRD);
}

/* 16 kernels of 1 to 9 nodes: about a hundred shapes, and 32 plans are kept, so many steps are
   planned again, into the memory of the oldest plan. */
static void varied_shapes(void **state)
{
    static const char *const model[][6] = {
        {"--hidden", "64", "--gnn", "sage", "--reduction", "lstm"},
        {"--hidden", "64", "--gnn", "gat", "--reduction", "transformer"},
        {"--hidden", "64", "--gnn", "none", "--reduction", "node"}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const outcome o = train("f_0.npz", "g_0.npz", model[i], 6);
        assert_in_range(o.plans, 33, 3 * THIRD); /* more than are kept */
        assert_true(o.late <= 10);
    }
}

/* Two arrays of 8 MB do not fit into a megabyte. */
static void memory_limit(void **state)
{
    static float node[4000][140];
    static uint8_t opcode[4000];
    char path[128];
    test_tile t;
    (void)state;
    test_tile_make(&t);
    t.array[NODE_FEAT].data = node;
    t.array[NODE_FEAT].size[0] = 4000;
    t.array[NODE_OPCODE].data = opcode;
    t.array[NODE_OPCODE].size[0] = 4000;
    snprintf(path, sizeof path, "%s/big_0_00000001.npz", test_folder);
    assert_true(test_arrays_write(path, t.array, t.arrays));
    program_expect("tpu train --data big_0_00000001.npz --out big --ram-limit 1M --hidden 16", 5,
                   "", "big_0_00000001");
    program_expect("tpu inspect big_0_00000001.npz --ram-limit 1M", 5, "", "--ram-limit");
    program_expect("tpu train --data big_0_00000001.npz --out big --ram-limit 16M --hidden 16 "
                   "--configs 2 --steps 1 --quiet",
                   0, "", "");
    program_expect("tpu predict --run big --data big_0_00000001.npz --ram-limit 1M", 5, "",
                   "big_0_00000001");
    program_expect("tpu train --data big_0_00000001.npz --valid big_0_00000001.npz --out big2 "
                   "--ram-limit 4M --hidden 16 --configs 2 --steps 1 --quiet",
                   5, "", "--ram-limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_limit),
                                       cmocka_unit_test(known_shapes),
                                       cmocka_unit_test(varied_shapes)};
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
