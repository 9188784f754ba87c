/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/program.h"
#include "examples/harness/waiting.h"

int main(int argc, char **argv)
{
    harness_wait_asleep(argv);
    return tgraph_main(argc, argv);
}
