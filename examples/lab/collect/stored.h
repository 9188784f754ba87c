/* SPDX-License-Identifier: MIT */
/* A file of a data set in a form that can be measured again. */
#ifndef LAB_STORED_H
#define LAB_STORED_H

#include "examples/lab/fusion/fusion.h"
#include "examples/lab/measure/manifest.h"
#include "examples/lab/run/run.h"
#include "examples/lab/collect/search.h"

enum { LAB_TILE = 24 };

typedef struct lab_stored {
    lab_program program;   /* of a tile file: the kernel */
    int n;                 /* configurations, or kernels */
    int64_t *ns;           /* [n] run times in the file */
    int nodes;             /* layout: configurable ones */
    lab_layout_row *rows;  /* layout: [n][nodes] */
    int (*tile)[LAB_TILE]; /* tile: [n] */
    lab_fusion fusion;     /* fusion: its first n kernels */
} lab_stored;

/* Reads NAME.txt and NAME.npz of a manifest's folder. Fails: AG_EFILE, AG_EDATA (the two do not
   belong together). Clear it also after a failure. */
ag_status lab_stored_load(lab_stored *x, const lab_manifest *m, const char *name, ag_failure *why);
void lab_stored_clear(lab_stored *x);

/* Measures configurations which[0..count-1] now. */
ag_status lab_stored_measure(lab_meter *meter, lab_timing *timing, const lab_stored *x,
                             const int *which, int count, ag_failure *why);

#endif
