/* SPDX-License-Identifier: MIT */
/* The options and commands of the program `lab`. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "examples/harness/harness.h"

#define LAB_VERSION "0.1.0"

/* All options, by the names of options.c. */
typedef struct lab_settings {
    harness_common common; /* of which it has --quiet and --json */
    const char *out, *families, *family;
    harness_paths text, folders;
    int programs, first, number, configs, kernels, partitions;
    int plan; /* tpugraphs_rule */
    double minutes, milliseconds;
    int64_t seed, least;
    int repeats, redo, core;
    double threshold, noise;
    int sample, per_file;
    double valid, test;
} lab_settings;

extern const harness_program lab_program_table;

typedef ag_status lab_command(harness_call *call, ag_failure *why);
lab_command lab_layout_command, lab_tile_command, lab_fusion_command, lab_check_command,
    lab_split_command, lab_show_command, lab_families_command;

/* A whole call of the program; returns the exit code. */
int lab_main(int argc, char **argv);

#endif
