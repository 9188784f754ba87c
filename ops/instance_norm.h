/* SPDX-License-Identifier: MIT */
/* Each strip of columns of one graph is read three times from the cache: mean, variance, result.
   Sums run in groups of GROUP rows, so that the rounding error does not grow with the number of
   rows. */
#include "core/kernel.h"

enum { NORM_GROUP = 16 };

/* Columns: all axes but the first. Row r of the strip starts at element r * columns. */
AG_BOTH int64_t norm_columns(ag_shape s) { return s.size[0] ? ag__elements(s) / s.size[0] : 0; }

STRIP(instance_norm_forward, a->xs[1].size[0] - 1, norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const int first = XI(1)[o], rows = XI(1)[o + 1] - first;
    const ag_real *x = X(0) + first * m + c;
    ag_real *y = Y(0) + first * m + c, *rstd = Y(1) + o * m + c;
    ag_real mean[AG_PER_LANE], square[AG_PER_LANE];
    const ag_real over = rows > 0 ? 1 / (ag_real)rows : 0;
    (void)add;
    EACH (j, n) mean[AT(j)] = square[AT(j)] = 0;
    for (int r = 0; r < rows; r += NORM_GROUP) {
        ag_real part[AG_PER_LANE];
        EACH (j, n) part[AT(j)] = 0;
        for (int k = r; k < rows && k < r + NORM_GROUP; k++)
            EACH (j, n) part[AT(j)] += x[k * m + j];
        EACH (j, n) mean[AT(j)] += part[AT(j)];
    }
    EACH (j, n) mean[AT(j)] *= over;
    for (int r = 0; r < rows; r += NORM_GROUP) {
        ag_real part[AG_PER_LANE];
        EACH (j, n) part[AT(j)] = 0;
        for (int k = r; k < rows && k < r + NORM_GROUP; k++)
            EACH (j, n) part[AT(j)] += (x[k * m + j] - mean[AT(j)]) * (x[k * m + j] - mean[AT(j)]);
        EACH (j, n) square[AT(j)] += part[AT(j)];
    }
    EACH (j, n) square[AT(j)] = 1 / v_sqrt(square[AT(j)] * over + (ag_real)a->attr.f[0]);
    EACH (j, n) rstd[j] = square[AT(j)];
    for (int r = 0; r < rows; r++)
        EACH (j, n) y[r * m + j] = (x[r * m + j] - mean[AT(j)]) * square[AT(j)];
}

/* dx = rstd (dy - mean(dy) - y mean(dy y)) */
STRIP(instance_norm_backward, a->xs[1].size[0] - 1, norm_columns(a->xs[0]))
{
    const int64_t m = norm_columns(a->xs[0]);
    const int first = XI(1)[o], rows = XI(1)[o + 1] - first;
    const ag_real *y = Y(0) + first * m + c, *dy = DY(0) + first * m + c, *rstd = Y(1) + o * m + c;
    ag_real *dx = DX + first * m + c;
    ag_real sum[AG_PER_LANE], dot[AG_PER_LANE];
    const ag_real over = rows > 0 ? 1 / (ag_real)rows : 0;
    EACH (j, n) sum[AT(j)] = dot[AT(j)] = 0;
    for (int r = 0; r < rows; r += NORM_GROUP) {
        ag_real part[AG_PER_LANE], part_dot[AG_PER_LANE];
        EACH (j, n) part[AT(j)] = part_dot[AT(j)] = 0;
        for (int k = r; k < rows && k < r + NORM_GROUP; k++)
            EACH (j, n) {
                part[AT(j)] += dy[k * m + j];
                part_dot[AT(j)] += dy[k * m + j] * y[k * m + j];
            }
        EACH (j, n) {
            sum[AT(j)] += part[AT(j)];
            dot[AT(j)] += part_dot[AT(j)];
        }
    }
    EACH (j, n) {
        sum[AT(j)] *= over;
        dot[AT(j)] *= over;
    }
    for (int r = 0; r < rows; r++)
        EACH (j, n)
            PUT(dx, r * m + j, rstd[j] * (dy[r * m + j] - sum[AT(j)] - y[r * m + j] * dot[AT(j)]));
}
