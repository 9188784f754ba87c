/* SPDX-License-Identifier: MIT */
/* One thread makes both sweeps down the rows of a graph in a strip of columns: the first for the
   moments (or, backward, the sums), the second to write. The second finds the strip in the
   cache. */
#include "ops/instance_norm_pieces.h"

/* Rows are summed in groups and groups in pieces, so that the rounding error does not grow with the
   number of rows. Values are distances from the first row, so that the error does not grow with
   mean / deviation, either. Output 1 [graphs, m] is 1 / sqrt(var + epsilon). */
STRIP(instance_norm_forward, graphs_of(a), norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const int first = graph_start(a, o), rows = graph_start(a, o + 1) - first;
    const ag_real *x = X(0) + first * m + c;
    ag_real *y = Y(0) + first * m + c, *rstd = Y(1) + o * m + c;
    ag_real row[AG_PER_LANE], row2[AG_PER_LANE], from[AG_PER_LANE];
    IN_ROOM(mean, 0);
    IN_ROOM(square, 1);
    EACH (j, n) mean[AT(j)] = square[AT(j)] = 0;
    EACH (j, n) from[AT(j)] = rows > 0 ? x[j] : 0;
    for (int r = 0; r < rows; r += NORM_PIECE) {
        const int more = rows - r < NORM_PIECE ? rows - r : NORM_PIECE;
        piece_moments(row, row2, x + r * m, from, m, more, n);
        EACH (j, n) join_moments(&mean[AT(j)], &square[AT(j)], row[AT(j)], row2[AT(j)], r, more);
    }
    const ag_real share = 1 / (ag_real)(rows > 0 ? rows : 1);
    EACH (j, n) {
        square[AT(j)] = 1 / v_sqrt(square[AT(j)] * share + (ag_real)a->attr.f[0]);
        rstd[j] = square[AT(j)];
    }
    for (int r = rows - 1; r >= 0; r--) { /* the last rows are still in the nearest cache */
        EACH (j, n) row[AT(j)] = (x[r * m + j] - from[AT(j)] - mean[AT(j)]) * square[AT(j)];
        write_row(y + r * m, row, n, a->xs[0]);
    }
}

/* dx = rstd (dy - mean(dy) - y mean(dy y)) */
STRIP_PUT(instance_norm_backward, graphs_of(a), norm_columns(a->xs[0]))
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
        add_sums(sum, dot, y + r * m, 0, dy + r * m, m, SUM_GROUP, n);
    for (; r < rows; r++) add_sums(sum, dot, y + r * m, 0, dy + r * m, m, 1, n);
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
