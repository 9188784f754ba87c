/* SPDX-License-Identifier: MIT */
/* The columns of rows as inputs of a network: standardised, and in bins; and the unit of time. */
#ifndef NESTS_SCALE_H
#define NESTS_SCALE_H

#include "autograd/autograd.h"
#include "core/io/io.h"
#include "examples/rows/rows.h"

enum {
    NESTS_FAR = 5,    /* deviations; what lies further from the mean is cut off */
    NESTS_FITTED = 64 /* items of a group that are looked at */
};
#define NESTS_FLAT 1e-6 /* a column with a smaller deviation is constant, except for rounding */

typedef struct nests_scale {
    int columns, words, bins;
    bool flags;
    int64_t seen, items;      /* rows, and items with run times, that were added */
    double *mean, *deviation; /* [columns], one block */
    float *edge;   /* [columns, bins + 1] of the bins of each column, ascending; NULL without */
    float *kept;   /* a sample of training rows, for the edges */
    double offset; /* mean of ln(run time in ns) - ln(sum of work) */
} nests_scale;

void nests_scale_open(nests_scale *scale, int columns, int words, int bins, bool flags);
void nests_scale_close(nests_scale *scale);
/* Adds training rows x [rows, columns] to the means; nests_scale_end finds the deviations. */
void nests_scale_add(nests_scale *scale, const float *x, int rows);
/* Adds the rows of items, of which the i-th has the run time runtime[item[i]] (NULL: [i]). */
void nests_scale_add_items(nests_scale *scale, const nests_rows *rows, const int64_t *runtime,
                           const int *item);
void nests_scale_end(nests_scale *scale);
/* How many rows x [rows, columns] have a value more than 10 deviations from the mean. Columns that
   were constant in training are not read, since the networks do not see them. */
int64_t nests_scale_far(const nests_scale *scale, const float *x, int64_t rows);
/* out: the standardised columns (0 for a constant); then, with flags, 1 for each column that is 0
   or less, else 0; then, for each column, how much of each of its bins lies below the value, from
   -0.5 (nothing) to 0.5 (all). Their edges are quantiles of the training rows, so that each bin has
   as many of them; one without a width gives 0. Source: the piecewise linear encoding of Gorishniy,
   Rubachev and Babenko 2022, "On Embeddings for Numerical Features in Tabular Deep Learning". */
void nests_scale_apply(ag_real *out, const nests_scale *scale, const float *row);
/* The same for all rows, with their words. */
void nests_scale_rows(ag_real *out, int32_t *word, const nests_scale *scale,
                      const nests_rows *rows);
static inline int nests_scale_inputs(const nests_scale *scale)
{
    return scale->columns * (1 + scale->flags + scale->bins);
}

/* The tensors "state.row.mean", "state.row.deviation" [columns], "state.offset" and, with bins,
   "state.row.edge" [columns, bins + 1] of a checkpoint. Returns their number. The check of what
   was read fails: AG_EDATA. */
enum { NESTS_SCALE_TENSORS = 3 }; /* without bins */
int nests_scale_list(ag_checkpoint_item *item, const nests_scale *scale);
ag_status nests_scale_check(const nests_scale *scale, ag_failure *why);

/* ---- bins.c, for scale.c ---- */

void nests_bins_add(nests_scale *scale, const float *x, int rows);
void nests_bins_end(nests_scale *scale);
void nests_bins_apply(ag_real *out, const nests_scale *scale, const float *row);

#endif
