/* SPDX-License-Identifier: MIT */
/* A file of a data set in a form that can be measured again. */
#ifndef LAB_STORED_H
#define LAB_STORED_H

#include "examples/lab/collect/configs.h"
#include "examples/lab/measure/manifest.h"

typedef struct lab_stored {
    lab_program program;  /* of a tile file: the kernel */
    int n;                /* configurations, or kernels; 0: the program cannot be built, as there is
                             neither NAME.txt nor such a family of the lab */
    int64_t *ns;          /* [n] run times in the file */
    lab_layout_row *rows; /* layout: [n][configs.nodes] */
    lab_fusion fusion;    /* fusion: its first n kernels */
    lab_configs configs;  /* they point to these */
    ag_arena *memory;
} lab_stored;

/* Reads NAME.txt and NAME.npz of a manifest's folder. Fails: AG_EFILE, AG_EDATA (the two do not
   belong together). Clear it also after a failure. */
ag_status lab_stored_load(lab_stored *x, const lab_manifest *m, const char *name, ag_failure *why);
void lab_stored_clear(lab_stored *x);

#endif
