/* SPDX-License-Identifier: MIT */
/* Every allocation of small calls fails once: exit 5 and a sentence, or a call that does without
   it. */
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

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_layout("a.npz", 20, 0);
    program_write_tile("t.npz", 10, 0);
    return 0;
}

static void layout(void **state)
{
    (void)state;
    program_each_fails(
        "tgraph train --data a.npz --split 0.5 --out run --force --hidden 16 --configs 4 "
        "--steps 2 --threads 1 --quiet --no-baselines",
        17, 50);
}

static void tile(void **state)
{
    (void)state;
    program_each_fails(
        "tgraph train --data t.npz --valid t.npz --out tile --force --hidden 16 --steps 2 "
        "--threads 1 --quiet --no-baselines",
        19, 50);
}

static void others(void **state)
{
    (void)state;
    program_expect(
        "tgraph train --data a.npz --split 0.5 --out r --hidden 16 --configs 4 --steps 2 "
        "--threads 1 --quiet --no-baselines",
        0, "", "");
    program_each_fails("tgraph eval --run r --data a.npz --threads 1 --json --no-baselines", 13,
                       50);
    program_each_fails("tgraph predict --run r --data a.npz --threads 1 --csv p.csv", 13, 50);
    program_each_fails("tgraph inspect a.npz --threads 1", 1, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layout), cmocka_unit_test(tile),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
