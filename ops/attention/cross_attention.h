/* SPDX-License-Identifier: MIT */
/* Cross attention: a strip is some columns of a node, with a row per configuration, and stays in
   the cache. Inputs x [a,b,c], t. */
#include "core/kernel.h"
#include "core/kernel_tile.h"

/* Output 1 [a,2,c] holds the largest x / t of each column and 1 / the sum of the exponentials. */
STRIP(cross_attention_forward, a->xs[0].size[0], a->xs[0].size[2])
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2];
    const ag_real over = 1 / X(1)[0];
    const ag_real *x = X(0) + o * rows * m + c;
    ag_real *y = Y(0) + o * rows * m + c;
    ag_real *most = Y(1) + o * 2 * m + c, *inverse = most + m;
    ag_real top[AG_PER_LANE], sum[AG_PER_LANE];
    EACH (j, n) top[AT(j)] = -INFINITY;
    EACH (j, n) sum[AT(j)] = 0;
    for (int r = 0; r < rows; r++)
        EACH (j, n) {
            const ag_real z = x[r * m + j] * over;
            top[AT(j)] = z > top[AT(j)] ? z : top[AT(j)];
        }
    for (int r = 0; r < rows; r++)
        EACH (j, n) {
            const ag_real e = v_exp(x[r * m + j] * over - top[AT(j)]);
            y[r * m + j] = x[r * m + j] * e;
            sum[AT(j)] += e;
        }
    EACH (j, n) sum[AT(j)] = 1 / sum[AT(j)];
    for (int r = 0; r < rows; r++)
        EACH (j, n) y[r * m + j] *= sum[AT(j)];
    EACH (j, n) {
        most[j] = top[AT(j)];
        inverse[j] = sum[AT(j)];
    }
}

/* dx = dy s + s (g - sum s g) / t with s the softmax and g = dy x. Scratch [a,c] gets the slope of
   each column by 1/t: sum of s g x - (sum of s g) (sum of s x). */
STRIP_PUT(cross_attention_backward_x, a->xs[0].size[0], a->xs[0].size[2])
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2];
    const ag_real over = 1 / X(1)[0];
    const ag_real *x = X(0) + o * rows * m + c, *dy = DY(0) + o * rows * m + c;
    const ag_real *most = Y(1) + o * 2 * m + c, *inverse = most + m;
    ag_real *dx = DX + o * rows * m + c, *slope = a->scratch + o * m + c;
    ag_real sg[AG_PER_LANE], sgx[AG_PER_LANE], sx[AG_PER_LANE];
    EACH (j, n) sg[AT(j)] = sgx[AT(j)] = sx[AT(j)] = 0;
    for (int r = 0; r < rows; r++)
        EACH (j, n) {
            const ag_real v = x[r * m + j], s = v_exp(v * over - most[j]) * inverse[j];
            const ag_real g = s * dy[r * m + j] * v;
            sg[AT(j)] += g;
            sgx[AT(j)] += g * v;
            sx[AT(j)] += s * v;
        }
    for (int r = 0; r < rows; r++)
        EACH (j, n) {
            const ag_real v = x[r * m + j], d = dy[r * m + j];
            const ag_real s = v_exp(v * over - most[j]) * inverse[j];
            PUT(dx, r * m + j, s * (d + (d * v - sg[AT(j)]) * over));
        }
    EACH (j, n) slope[j] = sgx[AT(j)] - sg[AT(j)] * sx[AT(j)];
}

/* dt = -1/t^2 times the sum of all slopes, added in order of the nodes. */
ROW_PUT(cross_attention_backward_t, 1)
{
    const int nodes = a->xs[0].size[0], m = a->xs[0].size[2];
    const ag_real t = X(1)[0];
    double total = 0;
    (void)r;
    for (int v = 0; v < nodes; v++) {
        const ag_real *slopes = a->scratch + (int64_t)v * m;
        ag_real s;
        SUM(s, j, m, slopes[j]);
        total += (double)s;
    }
    if (LANE == 0) PUT(DX, 0, (ag_real)(-total / ((double)t * (double)t)));
}

/* ---- on a device ---- */

/* Sums the slopes of a node. Scratch: the slopes [nodes,m], as cross_attention_backward_x leaves
   them, then these sums [nodes]. */
ROW(cross_attention_slopes, a->xs[0].size[0])
{
    const int m = a->xs[0].size[2];
    const ag_real *slopes = a->scratch + r * m;
    ag_real s;
    SUM(s, j, m, slopes[j]);
    if (LANE == 0) a->scratch[(int64_t)a->xs[0].size[0] * m + r] = s;
}

/* dt = -1/t^2 times the sum of all slopes: one block adds the sums of the nodes. */
TILE_PUT(cross_attention_total, 1, AG_TILE_WIDTH, 0)
{
    const int64_t nodes = a->xs[0].size[0];
    const ag_real *slopes = a->scratch + nodes * a->xs[0].size[2];
    const ag_real t = X(1)[0];
    ag_real sum[AG_PER_LANE], total;
    (void)o, (void)c, (void)tile;
    EACH (j, n) {
        sum[AT(j)] = 0;
        TILE_ROWS(r, (nodes + AG_TILE_WIDTH - 1) / AG_TILE_WIDTH)
        {
            const int64_t i = (int64_t)r * AG_TILE_WIDTH + j;
            sum[AT(j)] += i < nodes ? slopes[i] : 0;
        }
    }
    TILE_SUM(sum);
    SUM(total, j, n, sum[AT(j)]);
    TILE_ROWS(r, 1)
    if (LANE == 0) PUT(DX, 0, -total / (t * t));
}
