/* SPDX-License-Identifier: MIT */
/* Layer normalisation. Y(1): mean, Y(2): 1 / standard deviation of each row; attr.f[0]: epsilon. */
#include "core/kernel.h"

ROW_OF(layer_norm_forward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ x = X(0) + r * n, *__restrict__ gamma = X(1),
                                *__restrict__ beta = a->n_in > 2 ? X(2) : 0;
    ag_real *__restrict__ y = Y(0) + r * n;
    ag_real mean, variance;
    SUM(mean, i, n, x[i]);
    mean /= (ag_real)(n ? n : 1);
    SUM(variance, i, n, (x[i] - mean) * (x[i] - mean));
    variance /= (ag_real)(n ? n : 1);
    const ag_real scale = 1 / v_sqrt(variance + (ag_real)a->attr.f[0]);
    if (beta)
        EACH (i, n) y[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
    else
        EACH (i, n) y[i] = (x[i] - mean) * scale * gamma[i];
    if (LANE == 0) {
        Y(1)[r] = mean;
        Y(2)[r] = scale;
    }
}

/* With g = dy gamma and h = (x - mean) scale: dx = scale (g - mean of g - h mean of g h). */
ROW_OF_PUT(layer_norm_backward_x, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ x = X(0) + r * n, *__restrict__ gamma = X(1),
                                *__restrict__ dy = DY(0) + r * n;
    ag_real *__restrict__ dx = DX + r * n;
    const ag_real mean = Y(1)[r], scale = Y(2)[r];
    ag_real g, gh;
    SUM(g, i, n, dy[i] * gamma[i]);
    SUM(gh, i, n, dy[i] * gamma[i] * ((x[i] - mean) * scale));
    g /= (ag_real)(n ? n : 1);
    gh /= (ag_real)(n ? n : 1);
    EACH (i, n) PUT(dx, i, scale * (dy[i] * gamma[i] - g - (x[i] - mean) * scale * gh));
}

/* dgamma and dbeta are sums down the rows, which are cut into pieces; the number of pieces depends
   only on the shape. Piece p puts its sum of dy h at scratch[p,0,:] and that of dy at
   scratch[p,1,:]. */
enum { NORM_PIECES = 64, NORM_GROUP = 16 };

AG_BOTH int64_t norm_pieces(const ag_args *a)
{
    const int64_t pieces = (ag__rows(a->xs[0]) + NORM_GROUP - 1) / NORM_GROUP;
    return pieces < NORM_PIECES ? pieces : (int64_t)NORM_PIECES;
}

STRIP(layer_norm_sums, norm_pieces(a), ag__columns(a->xs[0]))
{
    const int f = ag__columns(a->xs[0]);
    const int64_t rows = ag__rows(a->xs[0]), pieces = norm_pieces(a);
    const int64_t lo = o * rows / pieces, hi = (o + 1) * rows / pieces;
    const ag_real *mean = Y(1), *scale = Y(2);
    ag_real h[AG_PER_LANE], *to = a->scratch + o * 2 * f + c;
    IN_ROOM(s, 0);
    EACH (j, n) h[AT(j)] = s[AT(j)] = 0;
    for (int64_t group = lo; group < hi; group += NORM_GROUP) {
        const int64_t end = group + NORM_GROUP < hi ? group + NORM_GROUP : hi;
        ag_real part_h[AG_PER_LANE], part_s[AG_PER_LANE];
        EACH (j, n) part_h[AT(j)] = part_s[AT(j)] = 0;
        for (int64_t r = group; r < end; r++) {
            const ag_real *x = X(0) + r * f + c, *dy = DY(0) + r * f + c;
            const ag_real m = mean[r], k = scale[r];
            EACH (j, n) {
                part_h[AT(j)] += dy[j] * ((x[j] - m) * k);
                part_s[AT(j)] += dy[j];
            }
        }
        EACH (j, n) {
            h[AT(j)] += part_h[AT(j)];
            s[AT(j)] += part_s[AT(j)];
        }
    }
    EACH (j, n) {
        to[j] = h[AT(j)];
        to[f + j] = s[AT(j)];
    }
}

/* dgamma, or dbeta (input 2): the total of the pieces' sums. */
STRIP_PUT(layer_norm_backward_affine, 1, ag__columns(a->xs[0]))
{
    const int f = ag__columns(a->xs[0]);
    const int64_t pieces = norm_pieces(a);
    const ag_real *part = a->scratch + (a->which == 2 ? f : 0) + c;
    ag_real sum[AG_PER_LANE], *dx = DX + c;
    (void)o;
    EACH (j, n) sum[AT(j)] = 0;
    for (int64_t p = 0; p < pieces; p++, part += 2 * (int64_t)f)
        EACH (j, n) sum[AT(j)] += part[j];
    EACH (j, n) PUT(dx, j, sum[AT(j)]);
}
