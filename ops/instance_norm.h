/* SPDX-License-Identifier: MIT */
/* One thread makes both sweeps down the rows of a graph in a strip of columns: the first for the
   moments (or, backward, the sums), the second to write. The second finds the strip in the
   cache. */
#include "ops/norm_moments.h"

/* Rows are summed in groups and groups in pieces, so that the rounding error does not grow with the
   number of rows. Values are distances from the first row, so that the error does not grow with
   mean / deviation, either. Output 1 [graphs, m] is 1 / sqrt(var + epsilon). */
STRIP(instance_norm_forward, graphs_of(a).segments, norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const row_cut t = graphs_of(a);
    const int first = cut_start(t, o), rows = cut_start(t, o + 1) - first;
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
STRIP_PUT(instance_norm_backward, graphs_of(a).segments, norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const row_cut t = graphs_of(a);
    const int first = cut_start(t, o), rows = cut_start(t, o + 1) - first;
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

/* ---- on a device, where the graphs are few and long: a warp for each piece and 32 columns ---- */

/* Rows that a lane loads before it waits, and rows that a warp writes. */
enum { READ_GROUP = 8, WRITE_PIECE = 64 };

/* Two numbers per column for each slot of a piece, then for each graph. */
AG_BOTH int64_t norm_scratch(const ag_args *a)
{
    return (cut_slots(graphs_of(a)) + graphs_of(a).segments) * 2 * norm_columns(a->xs[0]);
}

/* The mean and square of graph g. */
AG_BOTH ag_real *norm_of_graph(const ag_args *a, int64_t g)
{
    return a->scratch + (cut_slots(graphs_of(a)) + g) * 2 * norm_columns(a->xs[0]);
}

/* Rows are written in pieces of WRITE_PIECE rows, not those of the sums, from the last to the
   first: the last rows were read last, so most are still in a cache. */
AG_BOTH int64_t norm_writes(const ag_args *a)
{
    return ((int64_t)a->xs[0].size[0] + WRITE_PIECE - 1) / WRITE_PIECE;
}
AG_BOTH int norm_write_from(const ag_args *a, int64_t o)
{
    return (int)(norm_writes(a) - 1 - o) * WRITE_PIECE;
}
AG_BOTH int norm_write_end(const ag_args *a, int from)
{
    const int left = a->xs[0].size[0] - from;
    return from + (left < WRITE_PIECE ? left : WRITE_PIECE);
}

STRIP(instance_norm_moments, cut_slots(graphs_of(a)), norm_columns(a->xs[0]))
{
    leave_moments(a->scratch, graphs_of(a), X(0), o, norm_columns(a->xs[0]), c, n);
}

STRIP(instance_norm_join, graphs_of(a).segments, norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const row_cut t = graphs_of(a);
    const int rows = cut_start(t, o + 1) - cut_start(t, o);
    const ag_real share = 1 / (ag_real)(rows > 0 ? rows : 1);
    ag_real mean[AG_PER_LANE], square[AG_PER_LANE], *to = norm_of_graph(a, o) + c;
    ag_real *rstd = Y(1) + o * m + c;
    join_piece_moments(mean, square, t, a->scratch, o, m, c, n);
    EACH (j, n) {
        to[j] = mean[AT(j)];
        rstd[j] = 1 / v_sqrt(square[AT(j)] * share + (ag_real)a->attr.f[0]);
    }
}

/* y = (x - from - mean) rstd of `more` rows, all of which are loaded first. */
KERNEL void apply_rows(ag_real *__restrict__ y, const ag_real *__restrict__ x, const ag_real *from,
                       const ag_real *mean, const ag_real *rstd, int64_t m, const int more, int n)
{
    EACH (j, n) {
        ag_real v[READ_GROUP];
        for (int k = 0; k < more; k++) v[k] = x[k * m + j];
        for (int k = 0; k < more; k++)
            y[k * m + j] = (v[k] - from[AT(j)] - mean[AT(j)]) * rstd[AT(j)];
    }
}

STRIP(instance_norm_apply, norm_writes(a), norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const row_cut t = graphs_of(a);
    const ag_real *x = X(0) + c;
    ag_real *y = Y(0) + c, from[AG_PER_LANE], mean[AG_PER_LANE], rstd[AG_PER_LANE];
    int r = norm_write_from(a, o);
    const int end = norm_write_end(a, r);
    while (r < end) { /* the rows of one graph at a time */
        const int64_t g = cut_segment(t, r);
        const int last = cut_start(t, g + 1), hi = last < end ? last : end;
        EACH (j, n) {
            from[AT(j)] = x[cut_start(t, g) * m + j];
            mean[AT(j)] = norm_of_graph(a, g)[c + j];
            rstd[AT(j)] = Y(1)[g * m + c + j];
        }
        for (; r + READ_GROUP <= hi; r += READ_GROUP)
            apply_rows(y + r * m, x + r * m, from, mean, rstd, m, READ_GROUP, n);
        for (; r < hi; r++) apply_rows(y + r * m, x + r * m, from, mean, rstd, m, 1, n);
    }
}

STRIP(instance_norm_sums, cut_slots(graphs_of(a)), norm_columns(a->xs[0]))
{
    leave_sums(a->scratch, graphs_of(a), Y(0), 0, DY(0), o, norm_columns(a->xs[0]), c, n);
}

STRIP(instance_norm_join_back, graphs_of(a).segments, norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const row_cut t = graphs_of(a);
    const int rows = cut_start(t, o + 1) - cut_start(t, o);
    const ag_real share = 1 / (ag_real)(rows > 0 ? rows : 1);
    ag_real sum[AG_PER_LANE], dot[AG_PER_LANE], *to = norm_of_graph(a, o) + c;
    join_piece_sums(sum, dot, t, a->scratch, o, m, c, n);
    EACH (j, n) {
        to[j] = sum[AT(j)] * share;
        to[m + j] = dot[AT(j)] * share;
    }
}

KERNEL void apply_rows_back(ag_real *__restrict__ dx, const ag_real *__restrict__ y,
                            const ag_real *__restrict__ dy, const ag_real *mean, const ag_real *dot,
                            const ag_real *rstd, int64_t m, const int more, int n, const int add)
{
    EACH (j, n) {
        ag_real d[SUM_GROUP], v[SUM_GROUP];
        for (int k = 0; k < more; k++) {
            d[k] = dy[k * m + j];
            v[k] = y[k * m + j];
        }
        for (int k = 0; k < more; k++)
            PUT(dx, k * m + j, rstd[AT(j)] * (d[k] - mean[AT(j)] - v[k] * dot[AT(j)]));
    }
}

STRIP_PUT(instance_norm_apply_back, norm_writes(a), norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const row_cut t = graphs_of(a);
    const ag_real *y = Y(0) + c, *dy = DY(0) + c;
    ag_real *dx = DX + c, mean[AG_PER_LANE], dot[AG_PER_LANE], rstd[AG_PER_LANE];
    int r = norm_write_from(a, o);
    const int end = norm_write_end(a, r);
    while (r < end) {
        const int64_t g = cut_segment(t, r);
        const int last = cut_start(t, g + 1), hi = last < end ? last : end;
        EACH (j, n) {
            mean[AT(j)] = norm_of_graph(a, g)[c + j];
            dot[AT(j)] = norm_of_graph(a, g)[m + c + j];
            rstd[AT(j)] = Y(1)[g * m + c + j];
        }
        for (; r + SUM_GROUP <= hi; r += SUM_GROUP)
            apply_rows_back(dx + r * m, y + r * m, dy + r * m, mean, dot, rstd, m, SUM_GROUP, n,
                            add);
        for (; r < hi; r++)
            apply_rows_back(dx + r * m, y + r * m, dy + r * m, mean, dot, rstd, m, 1, n, add);
    }
}
