/* SPDX-License-Identifier: MIT */
/* Moments and sums down the rows of a column, in one sweep and in pieces, for instance norm and
   batch norm. m: columns; each piece leaves two numbers per column, [slots,2,m]. */
#ifndef AG_OPS_NORM_MOMENTS_H
#define AG_OPS_NORM_MOMENTS_H

#include "ops/row_pieces.h"

enum { MOMENTS_GROUP = 8, NORM_PIECE = 128, SUM_GROUP = 4 }; /* rows */

/* Columns: all axes but the first. */
AG_BOTH int64_t norm_columns(ag_shape s) { return s.size[0] ? ag__sizes(s, 1, s.rank) : 0; }

/* Joins a column's mean and sum of squared deviations (square) over `rows` rows with those of
   `more` other rows (Chan, Golub and LeVeque 1979). */
KERNEL void join_moments(ag_real *mean, ag_real *square, ag_real mean2, ag_real square2, int rows,
                         int more)
{
    const ag_real weight = (ag_real)more / (ag_real)(rows + more), d = mean2 - *mean;
    *mean += d * weight;
    *square += square2 + d * d * (weight * (ag_real)rows);
}

/* Joins the moments with those of `more` rows x[k * m + j] - from. The rows stay in registers, so
   each is read once. */
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
    for (; r + MOMENTS_GROUP <= rows; r += MOMENTS_GROUP)
        add_rows(mean, square, x + r * m, from, m, r, MOMENTS_GROUP, n);
    for (; r < rows; r++) add_rows(mean, square, x + r * m, from, m, r, 1, n);
}

/* Writes the moments of the piece in this slot; means are distances from the first row of the
   segment. */
KERNEL void leave_moments(ag_real *parts, row_cut t, const ag_real *x, int64_t slot, int64_t m,
                          int c, int n)
{
    const row_piece p = piece_of(t, slot);
    ag_real from[AG_PER_LANE], mean[AG_PER_LANE], square[AG_PER_LANE];
    ag_real *to = parts + slot * 2 * m + c;
    EACH (j, n) from[AT(j)] = p.lo < p.hi ? x[p.first * m + c + j] : 0;
    piece_moments(mean, square, x + p.lo * m + c, from, m, p.hi - p.lo, n);
    EACH (j, n) {
        to[j] = mean[AT(j)];
        to[m + j] = square[AT(j)];
    }
}

/* The moments of segment g, from its pieces. */
KERNEL void join_piece_moments(ag_real *mean, ag_real *square, row_cut t, const ag_real *parts,
                               int64_t g, int64_t m, int c, int n)
{
    const int rows = cut_start(t, g + 1) - cut_start(t, g), pieces = cut_pieces(t, rows);
    const ag_real *part = parts + cut_slot(t, g) * 2 * m + c;
    EACH (j, n) mean[AT(j)] = square[AT(j)] = 0;
    for (int k = 0; k < pieces; k++, part += 2 * m) {
        const int r = k * t.piece, more = rows - r < t.piece ? rows - r : t.piece;
        EACH (j, n) join_moments(&mean[AT(j)], &square[AT(j)], part[j], part[m + j], r, more);
    }
}

/* Adds dy and dy (y - from) of `rows` rows to the sums; from NULL: 0. */
KERNEL void add_sums(ag_real *sum, ag_real *dot, const ag_real *y, const ag_real *from,
                     const ag_real *dy, int64_t m, const int rows, int n)
{
    EACH (j, n) {
        ag_real s = 0, d = 0;
        for (int k = 0; k < rows; k++) {
            s += dy[k * m + j];
            d += dy[k * m + j] * (from ? y[k * m + j] - from[j] : y[k * m + j]);
        }
        sum[AT(j)] += s;
        dot[AT(j)] += d;
    }
}

/* Writes the sums of the piece in this slot. */
KERNEL void leave_sums(ag_real *parts, row_cut t, const ag_real *y, const ag_real *from,
                       const ag_real *dy, int64_t slot, int64_t m, int c, int n)
{
    const row_piece p = piece_of(t, slot);
    ag_real sum[AG_PER_LANE], dot[AG_PER_LANE], *to = parts + slot * 2 * m + c;
    int r = p.lo;
    y += c;
    dy += c;
    EACH (j, n) sum[AT(j)] = dot[AT(j)] = 0;
    for (; r + SUM_GROUP <= p.hi; r += SUM_GROUP)
        add_sums(sum, dot, y + r * m, from ? from + c : 0, dy + r * m, m, SUM_GROUP, n);
    for (; r < p.hi; r++) add_sums(sum, dot, y + r * m, from ? from + c : 0, dy + r * m, m, 1, n);
    EACH (j, n) {
        to[j] = sum[AT(j)];
        to[m + j] = dot[AT(j)];
    }
}

/* The sums of segment g, from its pieces. */
KERNEL void join_piece_sums(ag_real *sum, ag_real *dot, row_cut t, const ag_real *parts, int64_t g,
                            int64_t m, int c, int n)
{
    const int pieces = cut_pieces(t, cut_start(t, g + 1) - cut_start(t, g));
    const ag_real *part = parts + cut_slot(t, g) * 2 * m + c;
    EACH (j, n) sum[AT(j)] = dot[AT(j)] = 0;
    for (int k = 0; k < pieces; k++, part += 2 * m)
        EACH (j, n) {
            sum[AT(j)] += part[j];
            dot[AT(j)] += part[m + j];
        }
}

#endif
