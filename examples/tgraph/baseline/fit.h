/* SPDX-License-Identifier: MIT */
/* Ridge regression and boosted trees, on ln(run time) standardised within each program. They read
   one-hot digits of one file's nodes, or counts that exist for any program. */
#ifndef TGRAPH_FIT_H
#define TGRAPH_FIT_H

#include "examples/harness/baseline/boosting.h"
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data.h"

/* ---- columns ---- */

/* Configurations of a file to fit on or to score. */
typedef struct tgraph_part {
    const tgraph_file *file;
    const int32_t *config; /* [count] configurations; NULL: 0..count-1 */
    int count;
} tgraph_part;

static inline int tgraph_part_config(const tgraph_part *part, int i)
{
    return part->config ? part->config[i] : i;
}

enum {
    TGRAPH_KEYS = TGRAPH_DIGITS * TGRAPH_LAYOUT_ROWS, /* digits and values of a node */
    TGRAPH_KINDS = 4, /* of configurable nodes: convolution, dot, reshape, other */
    TGRAPH_COUNTS = TGRAPH_KINDS * TGRAPH_KEYS,
    TGRAPH_POOLED = 2 * TGRAPH_NUMERIC,
    TGRAPH_COUNT_COLUMNS = 2 * TGRAPH_COUNTS + TGRAPH_POOLED
};

/* x[(kind 18 + digit) 8 + row]: how many configurable nodes of a kind have this value of a digit;
   x[576 + ...]: the same, where each node counts log(1 + elements of its shape) times; then
   `pooled`. */
void tgraph_count_row(float x[TGRAPH_COUNT_COLUMNS], const tgraph_file *file, int config,
                      const float pooled[TGRAPH_POOLED]);
/* Mean, then maximum, over all nodes of sign(v) log(1+|v|) of the numeric columns. */
void tgraph_pool(float pooled[TGRAPH_POOLED], const tgraph_graph *graph);

/* The keys, (node 18 + digit) 8 + row, of the one-hot columns, ascending, for the caller to free.
   Constant columns are left out, and equal ones occur once; if more than `most` remain, those that
   vary most stay. *found: how many there were before that limit. Fails: AG_EUSE (too many
   nodes). */
int32_t *tgraph_onehot_keys(int *columns, int *found, const tgraph_file *file,
                            const int32_t *config, int rows, int most, ag_failure *why);
void tgraph_onehot_row(float *x, const int32_t *key, int columns, const tgraph_file *file,
                       int config);

/* ---- fits ---- */

/* A fit to one file, by the digits of its nodes (within), or to several files, by counts. */
typedef struct tgraph_fit {
    bool within;
    int most_rows;    /* configurations that are read, of all files together */
    int most_columns; /* one-hot columns; those that vary most stay */
    int most_cells;   /* rows x columns, of 4 bytes; with more, every n-th row stays */
    int32_t *key;     /* [columns] keys of one-hot columns, or indices of the counts that vary */
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
   are not read. Fails: AG_EUSE (too many nodes), AG_EFINITE, AG_EMEMORY, AG_ESTOPPED. */
ag_status tgraph_fit_open(tgraph_fit *fit, bool within, const tgraph_part *parts, int count,
                          harness_progress *bar, ag_failure *why);
/* Scores a part with all that was fitted. */
ag_status tgraph_fit_score(double *ridge, double *boosting, tgraph_fit *fit,
                           const tgraph_part *part, ag_failure *why);
void tgraph_fit_close(tgraph_fit *fit);

/* fit_rows.c: reads the rows, x, y, mean, scale and columns, of a fit whose limits are set. There
   are no columns or rows if nothing varies. *note says what was read. */
ag_status tgraph_fit_read(tgraph_fit *fit, const char **note, const tgraph_part *parts, int count,
                          ag_failure *why);
/* Columns of one configuration, standardised. pooled is not read within a file. */
void tgraph_fit_columns(float *x, tgraph_fit *fit, const tgraph_part *part, int config,
                        const float *pooled);

#endif
