/* SPDX-License-Identifier: MIT */
/* A run that has seen its files allocates no more memory; the state after a step is a function of
   the step. */
#include "core/internal.h"
#include "examples/tgraph/shell.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WARM = 40, STEPS = 80 };

static int make_files(void **state)
{
    char path[128];
    if (test_folder_make(state)) return -1;
    program_write_layout("a.npz", 60, 0);
    program_write_layout("b.npz", 7, 1); /* fewer than a step takes */
    program_write_tile("t.npz", 30, 0);
    program_write_tile("u.npz", 20, 1);
    snprintf(path, sizeof path, "%s/big.npz", test_folder);
    static float node[2500][140];
    test_layout l;
    test_layout_make(&l);
    memcpy(node, l.node_feat, sizeof l.node_feat);
    static uint8_t opcode[2500];
    l.array[NODE_FEAT].data = node;
    l.array[NODE_FEAT].size[0] = 2500;
    l.array[NODE_OPCODE].data = opcode;
    l.array[NODE_OPCODE].size[0] = 2500;
    l.array[NODE_SPLITS].name = NULL;
    return !test_arrays_write(path, l.array, l.arrays);
}

static void count_allocations(const char *a, const char *b)
{
    char first[128], second[128], out[128];
    ag_failure why = {0};
    tgraph_settings s;
    snprintf(first, sizeof first, "%s/%s", test_folder, a);
    snprintf(second, sizeof second, "%s/%s", test_folder, b);
    snprintf(out, sizeof out, "%s/%s.run", test_folder, a);
    char *argv[] = {"--data",    first, second,    "--out", out,         "--hidden", "16",
                    "--configs", "8",   "--steps", "100",   "--threads", "1",        "--quiet"};
    harness_options *o = harness_options_new(&tgraph_program_table, HARNESS_TRAIN, &s);
    assert_int_equal(harness_options_argv(o, sizeof argv / sizeof *argv, argv, NULL, &why), AG_OK);
    harness_session t = {.model = &tgraph_shell, .settings = &s.shell, .options = o, .folder = out};
    assert_int_equal(harness_session_begin(&t, HARNESS_NEW, &why), AG_OK);
    long before = 0;
    for (int step = 1; step <= STEPS; step++) {
        if (step == WARM) before = ag__allocations();
        assert_int_equal(harness_trainer_step(&t.trainer, &why), AG_OK);
    }
    const long more = ag__allocations() - before;
    if (more) print_error("%ld allocations in %d steps\n", more, STEPS - WARM);
    assert_int_equal(more, 0);
    assert_int_equal(t.trained.state->step, STEPS);
    assert_int_equal(t.trained.params->step, STEPS);
    harness_trainer_close(&t.trainer, &why);
    harness_session_close(&t);
    harness_options_free(o);
}

static void layout(void **state)
{
    (void)state;
    count_allocations("a.npz", "b.npz");
}

static void tile(void **state)
{
    (void)state;
    count_allocations("t.npz", "u.npz");
}

/* 2,500 nodes of 140 numbers do not fit into a megabyte. */
static void memory_limit(void **state)
{
    (void)state;
    program_expect("tgraph train --data big.npz --no-prune --out big --ram-limit 1M --hidden 16", 5,
                   "", "big.npz");
    program_expect("tgraph train --data big.npz --no-prune --out big --ram-limit 64M --hidden 16 "
                   "--configs 2 --steps 1 --quiet",
                   0, "", "");
    program_expect("tgraph predict --run big --data big.npz --ram-limit 1M", 5, "", "big.npz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_limit), cmocka_unit_test(layout),
                                       cmocka_unit_test(tile)};
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
