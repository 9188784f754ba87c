/* SPDX-License-Identifier: MIT */
/* Allocations of small calls of tpu fail, one after the other: exit 5 and a sentence, or a call
   that does without it. */
#include "core/internal.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SMALL " --hidden 8 --embedding 2 --kernels 2 --configs 3 --steps 2 --threads 1 --quiet"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_tile("a_0_0000000a.npz", 10, 0);
    program_write_fusion("f_0.npz", 6, 0);
    return 0;
}

static void tile(void **state)
{
    (void)state;
    program_each_fails(
        "tpu train --data a_0_0000000a.npz --valid a_0_0000000a.npz --out tile --force "
        "--no-baselines" SMALL,
        29, 30);
}

static void fusion(void **state)
{
    (void)state;
    program_each_fails(
        "tpu train --data f_0.npz --valid f_0.npz --out fusion --force --gnn gat --reduction "
        "transformer --no-baselines" SMALL,
        31, 30);
}

static void others(void **state)
{
    (void)state;
    program_expect("tpu train --data f_0.npz --out r" SMALL, 0, "", "");
    program_each_fails("tpu eval --run r --data f_0.npz --threads 1 --json --no-baselines", 17, 30);
    program_each_fails("tpu predict --run r --data f_0.npz --threads 1 --csv p.csv", 17, 30);
    program_each_fails("tpu inspect f_0.npz --threads 1", 3, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tile), cmocka_unit_test(fusion),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
