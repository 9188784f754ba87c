/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the baselines share. */
#ifndef TGRAPH_BASELINE_PARTS_H
#define TGRAPH_BASELINE_PARTS_H

#include "examples/tgraph/baseline/baselines.h"
#include "examples/tgraph/data/data_internal.h"

/* One row of a fit: a configuration of a part, and its target. */
typedef struct tgraph_fit_row {
    int32_t part, config;
    double y;
} tgraph_fit_row;

/* Columns and regressions of one set of files: of one file by its nodes (within), else of
   all by counts. */
typedef struct tgraph_fit {
    const tgraph_baseline_options *options;
    int within;
    tgraph_onehot onehot;   /* within */
    int32_t *pick;          /* [columns] the columns that vary; across programs */
    float *raw;             /* [TGRAPH_LAYOUT_COLUMNS] scratch */
    int columns, rows, fit; /* fit: rows before those that choose the ridge weight */
    float *mean, *scale;    /* [columns] */
    float *x;               /* [rows, columns] standardised */
    double *y;              /* [rows] */
    double *ridge;          /* [columns + 1]; NULL: none */
    harness_boosting *boosting;
    char note[TGRAPH_BASELINES][240];
    int stopped;
} tgraph_fit;

/* Fits what can be fitted; the notes say what and why not. */
ag_status tgraph_fit_open(tgraph_fit *fit, const tgraph_baseline_part *parts, int count, int within,
                          const tgraph_baseline_options *options, ag_failure *why);
ag_status tgraph_fit_predict(double *score, tgraph_fit *fit, tgraph_baseline_kind kind,
                             const tgraph_baseline_part *part, ag_failure *why);
void tgraph_fit_close(tgraph_fit *fit);

/* Reads the rows: fit->x, y, mean, scale, columns. Zero columns or rows mean that nothing varies.
   `note` receives a summary of the rows that were read. */
ag_status tgraph_fit_read(tgraph_fit *fit, char note[160], const tgraph_baseline_part *parts,
                          int count, ag_failure *why);
/* Columns of one configuration, standardised. pooled is not read within a file. */
void tgraph_fit_row_features(float *x, tgraph_fit *fit, const tgraph_baseline_part *part,
                             int config, const float *pooled);

static inline int tgraph_part_config(const tgraph_baseline_part *part, int i)
{
    return part->config ? part->config[i] : i;
}
static inline int tgraph_part_usable(const tgraph_baseline_part *part)
{
    return part->file->has_runtimes && part->count >= 2;
}

/* The Philox streams of the baselines, apart from those of the data. */
enum { TGRAPH_RANDOM_SCORES = 64, TGRAPH_RANDOM_ROWS };

#endif
