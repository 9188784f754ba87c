/* SPDX-License-Identifier: MIT */
/* Moments and sums of some rows, for instance norm in one sweep and in pieces. */
#ifndef AG_OPS_INSTANCE_NORM_PARTS_H
#define AG_OPS_INSTANCE_NORM_PARTS_H

#include "core/kernel.h"

enum { NORM_GROUP = 8, NORM_PIECE = 128, SUM_GROUP = 4 }; /* rows */

/* Columns: all axes but the first. */
AG_BOTH int64_t norm_columns(ag_shape s) { return s.size[0] ? ag__sizes(s, 1, s.rank) : 0; }

/* A column's mean and sum of squared deviations (square) over `rows` rows take up those of `more`
   other rows (Chan, Golub and LeVeque 1979). */
KERNEL void join_moments(ag_real *mean, ag_real *square, ag_real mean2, ag_real square2, int rows,
                         int more)
{
    const ag_real weight = (ag_real)more / (ag_real)(rows + more), d = mean2 - *mean;
    *mean += d * weight;
    *square += square2 + d * d * (weight * (ag_real)rows);
}

/* ... of `more` rows x[k * m + j], from which `from` is taken; they stay in registers: each is read
   once. */
KERNEL void add_rows(ag_real *mean, ag_real *square, const ag_real *x, const ag_real *from,
                     int64_t m, int rows, const int more, int n)
{
    const ag_real share = 1 / (ag_real)more;
    EACH (j, n) {
        ag_real sum = 0, deviations = 0;
        for (int k = 0; k < more; k++) sum += x[k * m + j] - from[AT(j)];
        sum *= share;
        for (int k = 0; k < more; k++) {
            const ag_real d = x[k * m + j] - from[AT(j)] - sum;
            deviations += d * d;
        }
        join_moments(&mean[AT(j)], &square[AT(j)], sum, deviations, rows, more);
    }
}

/* Moments of the rows 0..rows-1. */
KERNEL void piece_moments(ag_real *mean, ag_real *square, const ag_real *x, const ag_real *from,
                          int64_t m, int rows, int n)
{
    int r = 0;
    EACH (j, n) mean[AT(j)] = square[AT(j)] = 0;
    for (; r + NORM_GROUP <= rows; r += NORM_GROUP)
        add_rows(mean, square, x + r * m, from, m, r, NORM_GROUP, n);
    for (; r < rows; r++) add_rows(mean, square, x + r * m, from, m, r, 1, n);
}

/* Sums of dy and of dy y over `rows` rows. */
KERNEL void add_sums(ag_real *sum, ag_real *dot, const ag_real *y, const ag_real *dy, int64_t m,
                     const int rows, int n)
{
    EACH (j, n) {
        ag_real s = 0, d = 0;
        for (int k = 0; k < rows; k++) {
            s += dy[k * m + j];
            d += dy[k * m + j] * y[k * m + j];
        }
        sum[AT(j)] += s;
        dot[AT(j)] += d;
    }
}

#endif
