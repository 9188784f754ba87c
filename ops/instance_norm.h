/* SPDX-License-Identifier: MIT */
/* A strip of columns stays with one thread for both sweeps down the rows of a graph: one for the
   moments (or, backward, the sums), one that writes. The second finds the strip in the cache. */
#include "core/kernel.h"
#include "ops/starts.h"

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
        for (int k = 0; k < more; k++) sum += x[k * m + j] - from[j];
        sum *= share;
        for (int k = 0; k < more; k++) {
            const ag_real d = x[k * m + j] - from[j] - sum;
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

/* Rows join in groups, groups in pieces: the rounding error does not grow with the number of rows.
   All is told as distance from the first row, so that it does not grow with mean / deviation,
   either. Output 1 [graphs, m] is 1 / sqrt(var + epsilon). */
STRIP(instance_norm_forward, graphs_of(a), norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const int first = graph_start(a, o), rows = graph_start(a, o + 1) - first;
    const ag_real *x = X(0) + first * m + c;
    ag_real *y = Y(0) + first * m + c, *rstd = Y(1) + o * m + c;
    ag_real mean[AG_PER_LANE], square[AG_PER_LANE], row[AG_PER_LANE], row2[AG_PER_LANE];
    (void)add;
    EACH (j, n) mean[AT(j)] = square[AT(j)] = 0;
    for (int r = 0; r < rows; r += NORM_PIECE) {
        const int more = rows - r < NORM_PIECE ? rows - r : NORM_PIECE;
        piece_moments(row, row2, x + r * m, x, m, more, n);
        EACH (j, n) join_moments(&mean[AT(j)], &square[AT(j)], row[AT(j)], row2[AT(j)], r, more);
    }
    const ag_real share = 1 / (ag_real)(rows > 0 ? rows : 1);
    EACH (j, n) {
        square[AT(j)] = 1 / v_sqrt(square[AT(j)] * share + (ag_real)a->attr.f[0]);
        rstd[j] = square[AT(j)];
    }
    for (int r = rows - 1; r >= 0; r--) { /* the last rows are still in the nearest cache */
        EACH (j, n) row[AT(j)] = (x[r * m + j] - x[j] - mean[AT(j)]) * square[AT(j)];
        write_row(y + r * m, row, n, a->xs[0]);
    }
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

/* dx = rstd (dy - mean(dy) - y mean(dy y)) */
STRIP(instance_norm_backward, graphs_of(a), norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const int first = graph_start(a, o), rows = graph_start(a, o + 1) - first;
    const ag_real share = 1 / (ag_real)(rows > 0 ? rows : 1);
    const ag_real *y = Y(0) + first * m + c, *dy = DY(0) + first * m + c, *rstd = Y(1) + o * m + c;
    ag_real *dx = DX + first * m + c;
    ag_real sum[AG_PER_LANE], dot[AG_PER_LANE], row[AG_PER_LANE];
    int r = 0;
    EACH (j, n) sum[AT(j)] = dot[AT(j)] = 0;
    for (; r + SUM_GROUP <= rows; r += SUM_GROUP)
        add_sums(sum, dot, y + r * m, dy + r * m, m, SUM_GROUP, n);
    for (; r < rows; r++) add_sums(sum, dot, y + r * m, dy + r * m, m, 1, n);
    EACH (j, n) {
        sum[AT(j)] *= share;
        dot[AT(j)] *= share;
    }
    for (r = rows - 1; r >= 0; r--) {
        const ag_real *ys = y + r * m, *dys = dy + r * m;
        ag_real *to = dx + r * m;
        EACH (j, n) row[AT(j)] = rstd[j] * (dys[j] - sum[AT(j)] - ys[j] * dot[AT(j)]);
        if (add)
            EACH (j, n) to[j] += row[AT(j)];
        else
            write_row(to, row, n, a->xs[0]);
    }
}
