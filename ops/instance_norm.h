/* SPDX-License-Identifier: MIT */
/* The rows of a graph are cut in NORM_PIECES pieces, each read once in strips of columns; the
   moments of the pieces join in order; then rows are written one behind the other. Both sweeps run
   along the rows: a strip as long as the graph would touch one short stretch per page. */
#include "core/kernel.h"

enum { NORM_PIECES = 16, NORM_GROUP = 8, SUM_GROUP = 4 };

/* Columns: all axes but the first. */
AG_BOTH int64_t norm_columns(ag_shape s) { return s.size[0] ? ag__elements(s) / s.size[0] : 0; }

/* The pieces of all graphs. The sums take the last one first: its rows are those that the op before
   left in the cache, and the rows that the sums leave there are those that the next sweep begins
   with. */
AG_BOTH int64_t pieces_of(const ag_args *a)
{
    return (int64_t)NORM_PIECES * (a->xs[1].size[0] - 1);
}

/* Rows lo..hi-1 of piece o, first and number of rows of its graph. */
typedef struct norm_piece {
    int graph, first, rows, lo, hi;
} norm_piece;

AG_BOTH norm_piece piece_of(const ag_args *a, int64_t o)
{
    norm_piece p;
    const int k = (int)(o % NORM_PIECES);
    p.graph = (int)(o / NORM_PIECES);
    p.first = XI(1)[p.graph];
    p.rows = XI(1)[p.graph + 1] - p.first;
    p.lo = p.first + (int)((int64_t)p.rows * k / NORM_PIECES);
    p.hi = p.first + (int)((int64_t)p.rows * (k + 1) / NORM_PIECES);
    return p;
}

/* Graph that row r belongs to. */
AG_BOTH int graph_of(const ag_args *a, int64_t r)
{
    int lo = 0, hi = a->xs[1].size[0] - 1;
    while (hi - lo > 1) {
        const int middle = (lo + hi) / 2;
        if (XI(1)[middle] <= r)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* mean and square (sum of squared deviations) of `before` rows take up `n` rows more, x[k * m + j].
   A whole group stays in registers: every element is read once. */
KERNEL void add_rows(ag_real *mean, ag_real *square, const ag_real *x, int64_t m, const int n,
                     int before, int columns)
{
    const ag_real share = 1 / (ag_real)n, weight = (ag_real)n / (ag_real)(before + n);
    const ag_real apart = weight * (ag_real)before;
    EACH (j, columns) {
        ag_real sum = 0, deviations = 0;
        for (int k = 0; k < n; k++) sum += x[k * m + j];
        sum *= share;
        for (int k = 0; k < n; k++) {
            const ag_real d = x[k * m + j] - sum;
            deviations += d * d;
        }
        const ag_real d = sum - mean[AT(j)];
        mean[AT(j)] += d * weight;
        square[AT(j)] += deviations + d * d * apart;
    }
}

/* Scratch [graphs, pieces, 2, m]: mean and sum of squared deviations of each piece. Groups of rows
   join as the pieces do (Chan, Golub and LeVeque 1979), so that the rounding error does not grow
   with the number of rows. */
STRIP(instance_norm_moments, pieces_of(a), norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]), at = pieces_of(a) - 1 - o;
    const norm_piece p = piece_of(a, at);
    ag_real *to = a->scratch + 2 * at * m + c;
    ag_real mean[AG_PER_LANE], square[AG_PER_LANE];
    int r = p.lo;
    (void)add;
    EACH (j, n) mean[AT(j)] = square[AT(j)] = 0;
    for (; r + NORM_GROUP <= p.hi; r += NORM_GROUP)
        add_rows(mean, square, X(0) + r * m + c, m, NORM_GROUP, r - p.lo, n);
    for (; r < p.hi; r++) add_rows(mean, square, X(0) + r * m + c, m, 1, r - p.lo, n);
    EACH (j, n) {
        to[j] = mean[AT(j)];
        to[m + j] = square[AT(j)];
    }
}

/* The first piece's place gets the mean of the graph; output 1 [graphs, m] is 1 / sqrt(var +
 * epsilon). */
STRIP(instance_norm_join, a->xs[1].size[0] - 1, norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    ag_real *parts = a->scratch + 2 * NORM_PIECES * o * m + c, *rstd = Y(1) + o * m + c;
    ag_real mean[AG_PER_LANE], square[AG_PER_LANE];
    int done = 0;
    (void)add;
    EACH (j, n) mean[AT(j)] = square[AT(j)] = 0;
    for (int k = 0; k < NORM_PIECES; k++) {
        const norm_piece p = piece_of(a, o * NORM_PIECES + k);
        const ag_real *from = parts + 2 * k * m;
        const int rows = p.hi - p.lo;
        if (!rows) continue;
        const ag_real weight = (ag_real)rows / (ag_real)(done + rows), before = (ag_real)done;
        EACH (j, n) {
            const ag_real d = from[j] - mean[AT(j)];
            mean[AT(j)] += d * weight;
            square[AT(j)] += from[m + j] + d * d * weight * before;
        }
        done += rows;
    }
    EACH (j, n) {
        parts[j] = mean[AT(j)];
        rstd[j] = 1 / v_sqrt(square[AT(j)] / (ag_real)(done ? done : 1) + (ag_real)a->attr.f[0]);
    }
}

ROW(instance_norm_forward, a->xs[0].size[0])
{
    const int64_t m = norm_columns(a->xs[0]), g = graph_of(a, r);
    const ag_real *__restrict__ x = X(0) + r * m, *__restrict__ rstd = Y(1) + g * m;
    const ag_real *__restrict__ mean = a->scratch + 2 * NORM_PIECES * g * m;
    ag_real *__restrict__ y = Y(0) + r * m;
    (void)add;
    EACH (i, (int)m) y[i] = (x[i] - mean[i]) * rstd[i];
}

/* Backward: dx = rstd (dy - mean(dy) - y mean(dy y)); scratch [graphs, pieces, 2, m] holds the two
 * sums of a piece. */
KERNEL void add_sums(ag_real *sum, ag_real *dot, const ag_real *y, const ag_real *dy, int64_t m,
                     const int n, int columns)
{
    EACH (j, columns) {
        ag_real s = sum[AT(j)], d = dot[AT(j)];
        for (int k = 0; k < n; k++) {
            s += dy[k * m + j];
            d += dy[k * m + j] * y[k * m + j];
        }
        sum[AT(j)] = s;
        dot[AT(j)] = d;
    }
}

STRIP(instance_norm_sums, pieces_of(a), norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]), at = pieces_of(a) - 1 - o;
    const norm_piece p = piece_of(a, at);
    ag_real *to = a->scratch + 2 * at * m + c;
    ag_real sum[AG_PER_LANE], dot[AG_PER_LANE];
    const ag_real *y = Y(0) + c, *dy = DY(0) + c;
    int r = p.lo;
    (void)add;
    EACH (j, n) sum[AT(j)] = dot[AT(j)] = 0;
    for (; r + SUM_GROUP <= p.hi; r += SUM_GROUP)
        add_sums(sum, dot, y + r * m, dy + r * m, m, SUM_GROUP, n);
    for (; r < p.hi; r++) add_sums(sum, dot, y + r * m, dy + r * m, m, 1, n);
    EACH (j, n) {
        to[j] = sum[AT(j)];
        to[m + j] = dot[AT(j)];
    }
}

/* The first piece's place gets the two means. */
STRIP(instance_norm_join_sums, a->xs[1].size[0] - 1, norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    ag_real *parts = a->scratch + 2 * NORM_PIECES * o * m + c;
    const int rows = XI(1)[o + 1] - XI(1)[o];
    const ag_real over = rows > 0 ? 1 / (ag_real)rows : 0;
    (void)add;
    for (int k = 1; k < NORM_PIECES; k++)
        EACH (j, n) {
            parts[j] += parts[2 * k * m + j];
            parts[m + j] += parts[2 * k * m + m + j];
        }
    EACH (j, n) {
        parts[j] *= over;
        parts[m + j] *= over;
    }
}

ROW(instance_norm_backward, a->xs[0].size[0])
{
    const int64_t m = norm_columns(a->xs[0]), g = graph_of(a, r);
    const ag_real *__restrict__ y = Y(0) + r * m, *__restrict__ dy = DY(0) + r * m;
    const ag_real *__restrict__ rstd = Y(1) + g * m, *__restrict__ mean =
                                                         a->scratch + 2 * NORM_PIECES * g * m;
    const ag_real *__restrict__ dot = mean + m;
    ag_real *__restrict__ dx = DX + r * m;
    EACH (i, (int)m) PUT(dx, i, rstd[i] * (dy[i] - mean[i] - y[i] * dot[i]));
}
