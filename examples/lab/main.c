/* SPDX-License-Identifier: MIT */
/* The program `lab`. */
#include "examples/lab/lab.h"

int main(int argc, char **argv) { return lab_main(argc, argv); }
