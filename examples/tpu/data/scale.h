/* SPDX-License-Identifier: MIT */
/* Features on one scale: 0 is the smallest value of a column in the training kernels, 1 the
   largest. Source: Kaufman et al. 2021, section 3.1. */
#ifndef TPU_SCALE_H
#define TPU_SCALE_H

#include "examples/tpu/data/data.h"

/* Smallest and largest value of each column, after logarithms where they are taken; float values
   are held exactly. */
typedef struct tpu_range {
    int columns;
    int64_t rows; /* 0: no row was added */
    double low[TPUGRAPHS_FEATURES], high[TPUGRAPHS_FEATURES];
} tpu_range;

typedef struct tpu_scaler {
    int logs;           /* 1: sign(x) ln(1 + |x|) before anything else */
    int clamp;          /* 1: values outside of the training kernels' range become 0 or 1 */
    tpu_range node;     /* 140 columns */
    tpu_range tile;     /* 24 columns; without rows in the fusion task */
    tpu_range analysis; /* 4 columns: static performance features, a row per kernel */
} tpu_scaler;

void tpu_scaler_begin(tpu_scaler *scaler, int logs, int clamp);
/* Widens the ranges by the nodes and tile sizes of a kernel. */
void tpu_scaler_add(tpu_scaler *scaler, const tpu_kernel *kernel);
/* Sets both options and adds all kernels. */
void tpu_scaler_fit(tpu_scaler *scaler, const tpu_data *data, int logs, int clamp);

/* How many nodes of a kernel have a feature beyond the range by more than a quarter of its width.
 */
int tpu_scaler_far(const tpu_scaler *scaler, const tpu_kernel *kernel);

/* y = (x - low) / (high - low), computed in double; a column that is constant (or was never seen)
   gives 0 whatever x is. Without clamp, a value outside of the range is scaled in the same way, so
   that a tensor ten times as large as any in training gives 10; y stays finite. range: one of the
   scaler; x, y [rows, range->columns]. */
void tpu_scale(ag_real *y, const tpu_scaler *scaler, const tpu_range *range, const float *x,
               int64_t rows);

#endif
