/* SPDX-License-Identifier: MIT */
#include "examples/tpu/program.h"
#include "examples/harness/machine/threads.h"

int main(int argc, char **argv)
{
    harness_wait_asleep(argv);
    return harness_main(&tpu_program_table, argc, argv);
}
