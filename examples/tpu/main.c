/* SPDX-License-Identifier: MIT */
/* The program `tpu`, started so that threads of boosted trees wait asleep. */
#include "examples/tpu/program.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/harness/harness.h"

int main(int argc, char **argv)
{
    harness_wait_asleep(argv);
    return harness_main(&tpu_program_table, argc, argv);
}
