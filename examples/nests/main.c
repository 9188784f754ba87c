/* SPDX-License-Identifier: MIT */
/* The program `nests`, started so that threads of boosted trees wait asleep. */
#include "examples/harness/baseline/boosting.h"
#include "examples/harness/harness.h"
#include "examples/nests/program.h"

int main(int argc, char **argv)
{
    harness_wait_asleep(argv);
    return harness_main(&nests_program_table, argc, argv);
}
