/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/program.h"

int main(int argc, char **argv) { return harness_main(&tpgnn_program_table, argc, argv); }
