/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/program.h"

int main(int argc, char **argv) { return tgraph_main(argc, argv); }
