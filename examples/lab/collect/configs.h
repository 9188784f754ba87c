/* SPDX-License-Identifier: MIT */
/* Things to measure: configurations of one program, or kernels of its fusions. */
#ifndef LAB_CONFIGS_H
#define LAB_CONFIGS_H

#include "examples/lab/fusion/fusion.h"
#include "examples/lab/measure/measure.h"
#include "examples/lab/run/run.h"

enum { LAB_TILE = 24 };

/* One of the three kinds; nothing but the run is owned. */
typedef struct lab_configs {
    const lab_program *program; /* of a tile: the kernel */
    const lab_layout_row *rows; /* layouts: [nodes] of each configuration */
    int nodes;
    tpugraphs_rule rule;
    int (*tile)[LAB_TILE];
    const lab_fusion *fusion;
    lab_run *run; /* of layouts and tiles, from the first measurement on; free it */
} lab_configs;

/* Measures configurations which[0..count-1] (NULL: the first) now, in turn; each kernel has memory
   of its own. */
ag_status lab_configs_measure(lab_meter *meter, lab_timing *timing, lab_configs *configs,
                              const int *which, int count, ag_failure *why);

#endif
