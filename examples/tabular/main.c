/* SPDX-License-Identifier: MIT */
/* The program `tabular`. */
#include "examples/harness/harness.h"
#include "examples/tabular/tabular.h"

int main(int argc, char **argv) { return harness_main(&tabular_program, argc, argv); }
