/* SPDX-License-Identifier: MIT */
/* Batch normalisation. The statistics of each column are those of all rows of the batch (outputs 1
   and 2: mean and unbiased variance), or are given (attr.i[0] = 1: inputs 1 and 2). attr.f[0]:
   epsilon. With s = 1 / sqrt(biased variance + epsilon) and h = (x - mean) s: y = h gamma + beta.
   Each piece of the rows leaves two numbers per column in scratch; vectors of one number per column
   follow. */
#include "ops/norm_moments.h"

AG_BOTH row_cut batch_norm_cut(const ag_args *a)
{
    return cut_of(0, 1, (int)ag__rows(a->xs[0]), 1);
}

/* Vector k after the pieces. Forward: 0 is gamma s. Backward: 0 and 1 are the sums of dy and of dy
   h, 2 is gamma s, and 3 is s times the mean of dy h. */
enum { BATCH_SUM, BATCH_DOT, BATCH_SCALE, BATCH_SLOPE, BATCH_VECTORS };
AG_BOTH ag_real *batch_norm_vector(const ag_args *a, int k)
{
    return a->scratch + (cut_slots(batch_norm_cut(a)) * 2 + k) * ag__columns(a->xs[0]);
}

AG_BOTH const ag_real *batch_norm_mean(const ag_args *a) { return a->attr.i[0] ? X(1) : Y(1); }

/* s of column j. */
AG_BOTH ag_real batch_norm_rstd(const ag_args *a, int64_t j)
{
    const ag_real rows = (ag_real)ag__rows(a->xs[0]), epsilon = (ag_real)a->attr.f[0];
    const ag_real biased = rows > 1 ? (rows - 1) / rows : 0;
    return 1 / v_sqrt((a->attr.i[0] ? X(2)[j] : Y(2)[j] * biased) + epsilon);
}

/* gamma s of column j. */
AG_BOTH ag_real batch_norm_scale(const ag_args *a, int64_t j)
{
    const int gamma = a->attr.i[0] ? 3 : 1;
    return batch_norm_rstd(a, j) * (a->n_in > gamma ? X(gamma)[j] : 1);
}

STRIP(batch_norm_moments, cut_slots(batch_norm_cut(a)), ag__columns(a->xs[0]))
{
    leave_moments(a->scratch, batch_norm_cut(a), X(0), o, ag__columns(a->xs[0]), c, n);
}

STRIP(batch_norm_join, 1, ag__columns(a->xs[0]))
{
    const int64_t rows = ag__rows(a->xs[0]);
    const ag_real share = 1 / (ag_real)(rows > 1 ? rows - 1 : 1), *x = X(0) + c;
    ag_real mean[AG_PER_LANE], square[AG_PER_LANE];
    join_piece_moments(mean, square, batch_norm_cut(a), a->scratch, o, ag__columns(a->xs[0]), c, n);
    EACH (j, n) {
        Y(1)[c + j] = rows > 0 ? x[j] + mean[AT(j)] : 0;
        Y(2)[c + j] = square[AT(j)] * share;
    }
}

ELEMENTS(batch_norm_factors, ag__columns(a->xs[0]))
{
    for (int64_t j = lo; j < hi; j++) batch_norm_vector(a, 0)[j] = batch_norm_scale(a, j);
}

ROW_OF(batch_norm_apply, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]), beta = a->attr.i[0] ? 4 : 2;
    const ag_real *__restrict__ x = X(0) + r * n, *__restrict__ mean = batch_norm_mean(a),
                                *__restrict__ scale = batch_norm_vector(a, 0),
                                *__restrict__ shift = a->n_in > beta ? X(beta) : 0;
    ag_real *__restrict__ y = Y(0) + r * n;
    if (shift)
        EACH (i, n) y[i] = (x[i] - mean[i]) * scale[i] + shift[i];
    else
        EACH (i, n) y[i] = (x[i] - mean[i]) * scale[i];
}

STRIP(batch_norm_sums, cut_slots(batch_norm_cut(a)), ag__columns(a->xs[0]))
{
    leave_sums(a->scratch, batch_norm_cut(a), X(0), batch_norm_mean(a), DY(0), o,
               ag__columns(a->xs[0]), c, n);
}

STRIP(batch_norm_join_back, 1, ag__columns(a->xs[0]))
{
    const int64_t rows = ag__rows(a->xs[0]);
    const ag_real share = rows > 0 && !a->attr.i[0] ? 1 / (ag_real)rows : 0;
    ag_real sum[AG_PER_LANE], dot[AG_PER_LANE];
    join_piece_sums(sum, dot, batch_norm_cut(a), a->scratch, o, ag__columns(a->xs[0]), c, n);
    EACH (j, n) {
        const ag_real s = batch_norm_rstd(a, c + j), all = dot[AT(j)] * s;
        batch_norm_vector(a, BATCH_SUM)[c + j] = sum[AT(j)];
        batch_norm_vector(a, BATCH_DOT)[c + j] = all;
        batch_norm_vector(a, BATCH_SCALE)[c + j] = batch_norm_scale(a, c + j);
        batch_norm_vector(a, BATCH_SLOPE)[c + j] = s * all * share;
    }
}

/* dx = gamma s (dy - mean(dy) - h mean(dy h)); with given statistics, dx = gamma s dy. */
ROW_OF_PUT(batch_norm_backward_x, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ x = X(0) + r * n, *__restrict__ dy = DY(0) + r * n,
                                *__restrict__ mean = batch_norm_mean(a),
                                *__restrict__ sum = batch_norm_vector(a, BATCH_SUM),
                                *__restrict__ scale = batch_norm_vector(a, BATCH_SCALE),
                                *__restrict__ slope = batch_norm_vector(a, BATCH_SLOPE);
    const ag_real share = 1 / (ag_real)ag__rows(a->xs[0]);
    ag_real *__restrict__ dx = DX + r * n;
    if (a->attr.i[0])
        EACH (i, n) PUT(dx, i, scale[i] * dy[i]);
    else
        EACH (i, n) PUT(dx, i, scale[i] * (dy[i] - sum[i] * share - (x[i] - mean[i]) * slope[i]));
}

/* dgamma, or dbeta for the input after gamma. */
ELEMENTS_PUT(batch_norm_backward_affine, ag__columns(a->xs[0]))
{
    const int gamma = a->attr.i[0] ? 3 : 1;
    const ag_real *from = batch_norm_vector(a, a->which == gamma ? BATCH_DOT : BATCH_SUM);
    for (int64_t j = lo; j < hi; j++) PUT(DX, j, from[j]);
}
