/* SPDX-License-Identifier: MIT */
/* Softmax over the middle axis of x [a,b,c]: for each a a strip of columns with b rows, which stays
 * in the cache. */
#include "core/kernel.h"
#include "ops/softmax_middle_tile.h"

STRIP(softmax_middle_forward, a->xs[0].size[0], a->xs[0].size[2])
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2], log = a->attr.i[0];
    const ag_real *x = X(0) + o * rows * m + c;
    ag_real *y = Y(0) + o * rows * m + c;
    ag_real most[AG_PER_LANE], sum[AG_PER_LANE];
    (void)add;
    EACH (j, n) most[AT(j)] = -INFINITY;
    EACH (j, n) sum[AT(j)] = 0;
    for (int r = 0; r < rows; r++)
        EACH (j, n) most[AT(j)] = x[r * m + j] > most[AT(j)] ? x[r * m + j] : most[AT(j)];
    for (int r = 0; r < rows; r++)
        EACH (j, n) sum[AT(j)] += v_exp(x[r * m + j] - most[AT(j)]);
    if (log) {
        EACH (j, n) sum[AT(j)] = v_log(sum[AT(j)]) + most[AT(j)];
        for (int r = 0; r < rows; r++)
            EACH (j, n) y[r * m + j] = x[r * m + j] - sum[AT(j)];
    } else {
        EACH (j, n) sum[AT(j)] = 1 / sum[AT(j)];
        for (int r = 0; r < rows; r++)
            EACH (j, n) y[r * m + j] = v_exp(x[r * m + j] - most[AT(j)]) * sum[AT(j)];
    }
}

STRIP(softmax_middle_backward, a->xs[0].size[0], a->xs[0].size[2])
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2];
    const ag_real *y = Y(0) + o * rows * m + c, *dy = DY(0) + o * rows * m + c;
    ag_real *dx = DX + o * rows * m + c;
    ag_real dot[AG_PER_LANE];
    EACH (j, n) dot[AT(j)] = 0;
    for (int r = 0; r < rows; r++)
        EACH (j, n) dot[AT(j)] += dy[r * m + j] * y[r * m + j];
    for (int r = 0; r < rows; r++)
        EACH (j, n) PUT(dx, r * m + j, y[r * m + j] * (dy[r * m + j] - dot[AT(j)]));
}

/* Of the logarithm: dx = dy - e^y sum dy. */
STRIP(log_softmax_middle_backward, a->xs[0].size[0], a->xs[0].size[2])
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2];
    const ag_real *y = Y(0) + o * rows * m + c, *dy = DY(0) + o * rows * m + c;
    ag_real *dx = DX + o * rows * m + c;
    ag_real sum[AG_PER_LANE];
    EACH (j, n) sum[AT(j)] = 0;
    for (int r = 0; r < rows; r++)
        EACH (j, n) sum[AT(j)] += dy[r * m + j];
    for (int r = 0; r < rows; r++)
        EACH (j, n) PUT(dx, r * m + j, dy[r * m + j] - v_exp(y[r * m + j]) * sum[AT(j)]);
}

/* ---- cross attention: y = x softmax(x / t); inputs x, t ---- */

/* With i0 = 1 the rows of y (and dy) are [x, x softmax(x / t)], twice as wide. Output 1 [a,2,c]
   holds the largest x / t of each column and 1 / the sum of the exponentials. */
STRIP(cross_attention_forward, a->xs[0].size[0], a->xs[0].size[2])
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2], wide = a->attr.i[0] ? 2 * m : m;
    const ag_real over = 1 / X(1)[0];
    const ag_real *x = X(0) + o * rows * m + c;
    ag_real *left = Y(0) + o * rows * wide + c, *y = left + (wide - m);
    ag_real *most = Y(1) + o * 2 * m + c, *inverse = most + m;
    ag_real top[AG_PER_LANE], sum[AG_PER_LANE];
    (void)add;
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
            y[r * wide + j] = x[r * m + j] * e;
            sum[AT(j)] += e;
        }
    EACH (j, n) sum[AT(j)] = 1 / sum[AT(j)];
    for (int r = 0; r < rows; r++)
        EACH (j, n) y[r * wide + j] *= sum[AT(j)];
    for (int r = 0; r < rows && wide > m; r++)
        EACH (j, n) left[r * wide + j] = x[r * m + j];
    EACH (j, n) {
        most[j] = top[AT(j)];
        inverse[j] = sum[AT(j)];
    }
}

/* dx = dy s + s (g - sum s g) / t with s the softmax and g = dy x; with i0 also the left half of
   dy. Scratch [a,c] gets the slope of each column by 1/t: sum of s g x - (sum of s g) (sum of s x).
 */
STRIP(cross_attention_backward_x, a->xs[0].size[0], a->xs[0].size[2])
{
    const int rows = a->xs[0].size[1], m = a->xs[0].size[2], beside = a->attr.i[0],
              wide = beside ? 2 * m : m;
    const ag_real over = 1 / X(1)[0];
    const ag_real *x = X(0) + o * rows * m + c, *left = DY(0) + o * rows * wide + c,
                  *dy = left + (wide - m);
    const ag_real *most = Y(1) + o * 2 * m + c, *inverse = most + m;
    ag_real *dx = DX + o * rows * m + c, *slope = a->scratch + o * m + c;
    ag_real sg[AG_PER_LANE], sgx[AG_PER_LANE], sx[AG_PER_LANE];
    EACH (j, n) sg[AT(j)] = sgx[AT(j)] = sx[AT(j)] = 0;
    for (int r = 0; r < rows; r++)
        EACH (j, n) {
            const ag_real v = x[r * m + j], s = v_exp(v * over - most[j]) * inverse[j];
            const ag_real g = s * dy[r * wide + j] * v;
            sg[AT(j)] += g;
            sgx[AT(j)] += g * v;
            sx[AT(j)] += s * v;
        }
    for (int r = 0; r < rows; r++)
        EACH (j, n) {
            const ag_real v = x[r * m + j], d = dy[r * wide + j];
            const ag_real s = v_exp(v * over - most[j]) * inverse[j];
            const ag_real through = s * (d + (d * v - sg[AT(j)]) * over);
            PUT(dx, r * m + j, beside ? left[r * wide + j] + through : through);
        }
    EACH (j, n) slope[j] = sgx[AT(j)] - sg[AT(j)] * sx[AT(j)];
}

/* dt = -1/t^2 times the sum of all slopes, added in order of the nodes. */
ROW(cross_attention_backward_t, 1)
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
