/* SPDX-License-Identifier: MIT */
/* Ridge regression and boosted trees, on ln(run time) standardised within each program. */
#ifndef TGRAPH_FIT_H
#define TGRAPH_FIT_H

#include "examples/harness/baseline/boosting.h"
#include "examples/harness/harness.h"
#include "examples/tgraph/baseline/columns.h"

/* A fit to one file by its nodes' digits (within), else to several by counts. */
typedef struct tgraph_fit {
    bool within;
    int most_rows;    /* configurations that are read, of all files together */
    int most_columns; /* one-hot columns; those that vary most stay */
    int most_cells;   /* rows x columns: every n-th row then stays (4 bytes each) */
    int32_t *key;     /* [columns] keys of one-hot columns, or numbers of the counts that vary */
    int columns, found;
    int rows, head;      /* head: rows before those that choose the ridge weight */
    float *mean, *scale; /* [columns] */
    float *raw;          /* [TGRAPH_COUNT_COLUMNS] scratch */
    float *x;            /* [rows, columns] standardised */
    double *y;           /* [rows] */
    double *ridge;       /* [columns + 1]; NULL: none */
    harness_boosting *boosting;
    const char *ridge_note, *boosting_note; /* what they read, or why they are not there */
} tgraph_fit;

/* Fits what can be fitted; after an error of XGBoost there are no trees. Parts without run times
   count for nothing. Fails: AG_EUSE (too many nodes), AG_EFINITE, AG_EMEMORY, AG_ESTOPPED. */
ag_status tgraph_fit_open(tgraph_fit *fit, bool within, const tgraph_part *parts, int count,
                          harness_progress *bar, ag_failure *why);
/* Scores of a part by what was fitted. */
ag_status tgraph_fit_score(double *ridge, double *boosting, tgraph_fit *fit,
                           const tgraph_part *part, ag_failure *why);
void tgraph_fit_close(tgraph_fit *fit);

/* fit_rows.c: reads the rows, x, y, mean, scale and columns, of a fit whose limits are set. No
   columns or rows mean that nothing varies. *note says what was read. */
ag_status tgraph_fit_read(tgraph_fit *fit, const char **note, const tgraph_part *parts, int count,
                          ag_failure *why);
/* Columns of one configuration, standardised. pooled is not read within a file. */
void tgraph_fit_columns(float *x, tgraph_fit *fit, const tgraph_part *part, int config,
                        const float *pooled);

#endif
