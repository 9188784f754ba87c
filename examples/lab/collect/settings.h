/* SPDX-License-Identifier: MIT */
/* All options of the program `lab`. */
#ifndef LAB_SETTINGS_H
#define LAB_SETTINGS_H

#include "examples/harness/harness.h"

/* By the names of options.c. */
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

#endif
