/* SPDX-License-Identifier: MIT */
#include "examples/tpu/program.h"

int main(int argc, char **argv) { return harness_main(&tpu_program_table, argc, argv); }
