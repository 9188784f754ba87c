/* SPDX-License-Identifier: MIT */
/* The program `tpgnn`, started so that threads of boosted trees wait asleep. */
#include "examples/tpgnn/program.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/harness/harness.h"

int main(int argc, char **argv)
{
    harness_wait_asleep(argv);
    return harness_main(&tpgnn_program_table, argc, argv);
}
