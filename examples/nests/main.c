/* SPDX-License-Identifier: MIT */
#include "examples/harness/machine/threads.h"
#include "examples/nests/program.h"

int main(int argc, char **argv)
{
    harness_wait_asleep(argv);
    return harness_main(&nests_program_table, argc, argv);
}
