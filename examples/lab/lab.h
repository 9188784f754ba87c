/* SPDX-License-Identifier: MIT */
/* The options and commands of the program `lab`. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "examples/lab/collect/settings.h"

extern const harness_program lab_program_table;

typedef ag_status lab_command(harness_call *call, ag_failure *why);
lab_command lab_layout_command, lab_tile_command, lab_fusion_command, lab_check_command,
    lab_split_command, lab_show_command, lab_families_command;

/* A whole call of the program; returns the exit code. */
int lab_main(int argc, char **argv);

#endif
