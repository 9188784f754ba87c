/* SPDX-License-Identifier: MIT */
/* cross_attention on a device: a block holds its columns, so that they are read once. */
#include "core/kernel_tile.h"

/* Elements of a tile that holds `times` numbers of each element of its columns. */
AG_BOTH int64_t cross_tile(const ag_args *a, int times)
{
    return (int64_t)times * a->xs[0].size[1] * AG_TILE_WIDTH;
}

/* A lane goes down its column, so that the rows of its warp are read one after the other without a
   question in between. */

TILE(cross_attention_tile, a->xs[0].size[0], a->xs[0].size[2], cross_tile(a, 1))
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2];
    const ag_real over = 1 / X(1)[0];
    ag_real *__restrict__ y = Y(0) + o * rows * m + c;
    ag_real *most = Y(1) + o * 2 * m + c, *inverse = most + m;
    ag_real top[AG_PER_LANE], sum[AG_PER_LANE];
    (void)add;
    tile_hold(tile, X(0) + o * rows * m + c, m, rows, n);
    EACH (j, n) {
        top[AT(j)] = -INFINITY;
        TILE_ROWS(r, rows)
        {
            const ag_real z = HELD(r, j) * over;
            top[AT(j)] = z > top[AT(j)] ? z : top[AT(j)];
        }
    }
    TILE_MAXIMUM(top);
    EACH (j, n) {
        sum[AT(j)] = 0;
        TILE_ROWS(r, rows)
        {
            const ag_real v = HELD(r, j), e = v_exp(v * over - top[AT(j)]);
            HELD(r, j) = v * e;
            sum[AT(j)] += e;
        }
    }
    TILE_SUM(sum);
    EACH (j, n) {
        sum[AT(j)] = 1 / sum[AT(j)];
        TILE_ROWS(r, rows) y[r * m + j] = HELD(r, j) * sum[AT(j)];
    }
    TILE_ROWS(r, 1)
    EACH (j, n) {
        most[j] = top[AT(j)];
        inverse[j] = sum[AT(j)];
    }
}

/* Strips of a node, each of which leaves the sum of its slopes in scratch. */
AG_BOTH int64_t cross_strips(const ag_args *a)
{
    return ((int64_t)a->xs[0].size[2] + AG_TILE_WIDTH - 1) / AG_TILE_WIDTH;
}

/* With s the softmax and g = s dy x: held are x and dy; then s dy + g / t and s / t, from which the
   gradient follows once the sum of g is known. */
TILE(cross_attention_tile_back, a->xs[0].size[0], a->xs[0].size[2], cross_tile(a, 2))
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2];
    const ag_real over = 1 / X(1)[0];
    const ag_real *most = Y(1) + o * 2 * m + c, *inverse = most + m;
    ag_real *__restrict__ dx = DX + o * rows * m + c;
    ag_real sg[AG_PER_LANE], sgx[AG_PER_LANE], sx[AG_PER_LANE], slope;
    tile_hold(tile, X(0) + o * rows * m + c, m, rows, n);
    tile_hold(&HELD(rows, 0), DY(0) + o * rows * m + c, m, rows, n);
    EACH (j, n) {
        const ag_real top = most[j], share = inverse[j];
        sg[AT(j)] = sgx[AT(j)] = sx[AT(j)] = 0;
        TILE_ROWS(r, rows)
        {
            const ag_real v = HELD(r, j), s = v_exp(v * over - top) * share;
            const ag_real d = s * HELD(rows + r, j), g = d * v;
            HELD(r, j) = d + g * over;
            HELD(rows + r, j) = s * over;
            sg[AT(j)] += g;
            sgx[AT(j)] += g * v;
            sx[AT(j)] += s * v;
        }
    }
    TILE_SUM(sg);
    TILE_SUM(sgx);
    TILE_SUM(sx);
    EACH (j, n) TILE_ROWS(r, rows)
    PUT(dx, r * m + j, HELD(r, j) - HELD(rows + r, j) * sg[AT(j)]);
    SUM(slope, j, n, sgx[AT(j)] - sg[AT(j)] * sx[AT(j)]);
    TILE_ROWS(r, 1)
    if (LANE == 0) a->scratch[o * cross_strips(a) + c / AG_TILE_WIDTH] = slope;
}

/* Where a tile has no room: the slopes of each column, as cross_attention_backward_x leaves them, a
   row per node. Their sums follow them in scratch. */
ROW(cross_attention_slopes, a->xs[0].size[0])
{
    const int m = a->xs[0].size[2];
    const ag_real *slopes = a->scratch + r * m;
    ag_real s;
    (void)add;
    SUM(s, j, m, slopes[j]);
    if (LANE == 0) a->scratch[(int64_t)a->xs[0].size[0] * m + r] = s;
}

/* 1: a tile has room for backward. */
AG_BOTH int cross_held(const ag_args *a) { return ag__tile_fits(cross_tile(a, 2)); }

AG_BOTH int64_t cross_scratch(const ag_args *a)
{
    const int64_t nodes = a->xs[0].size[0];
    return nodes * (cross_held(a) ? cross_strips(a) : (int64_t)a->xs[0].size[2] + 1);
}

/* dt = -1/t^2 times the sum of all slopes, of which one block adds the sums. */
TILE(cross_attention_total, 1, AG_TILE_WIDTH, 0)
{
    const int64_t nodes = a->xs[0].size[0], count = cross_held(a) ? nodes * cross_strips(a) : nodes;
    const ag_real *slopes = a->scratch + (cross_held(a) ? 0 : nodes * a->xs[0].size[2]);
    const ag_real t = X(1)[0];
    ag_real sum[AG_PER_LANE], total;
    (void)o, (void)c, (void)tile;
    EACH (j, n) {
        sum[AT(j)] = 0;
        TILE_ROWS(r, (count + AG_TILE_WIDTH - 1) / AG_TILE_WIDTH)
        {
            const int64_t i = (int64_t)r * AG_TILE_WIDTH + j;
            sum[AT(j)] += i < count ? slopes[i] : 0;
        }
    }
    TILE_SUM(sum);
    SUM(total, j, n, sum[AT(j)]);
    TILE_ROWS(r, 1)
    if (LANE == 0) PUT(DX, 0, -total / (t * t));
}
