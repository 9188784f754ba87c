/* SPDX-License-Identifier: MIT */
/* Softmax cross-entropy of rows of logits, each with a class. With w the weights of the classes (1
   without) and e the smoothing, attr.f[0], a row of class y has the target t[c] = (1 - e) w[y] (c
   == y) + e w[c] / classes, the loss -sum of t[c] ln p[c] and the slopes p[c] sum t - t[c]. Loss
   and slopes are divided by the sum of w[y] over the rows that count. Y(1): per row the largest
   logit and (sum of t) / (sum of e^(x - largest)); Y(2): 1 / the sum of w[y]. */
#include "core/kernel.h"

enum { ENTROPY_ROW = 1024 };

AG_BOTH int64_t entropy_parts(const ag_args *a)
{
    return ((int64_t)a->xs[0].size[0] + ENTROPY_ROW - 1) / ENTROPY_ROW;
}

/* The class of row r; -1: the row does not count. */
KERNEL int class_of(const ag_args *a, int64_t r)
{
    const int32_t y = XI(1)[r];
    return y >= 0 && y < a->xs[0].size[1] ? y : -1;
}

KERNEL const ag_real *class_weights(const ag_args *a) { return a->n_in > 2 ? X(2) : NULL; }

/* scratch: the loss and the weight of every row, then their sums over every ENTROPY_ROW rows. */
ROW_OF(cross_entropy_rows, a->xs[0].size[0], a->xs[0].size[1])
{
    const int n = a->xs[0].size[1], label = class_of(a, r);
    const ag_real *x = X(0) + r * n, *w = class_weights(a), e = (ag_real)a->attr.f[0];
    const ag_real own = label < 0 ? 0 : w ? w[label] : 1;
    ag_real *loss = a->scratch + r, *stat = Y(1) + 2 * r;
    /* all: the sum of w, later the sum of t; far: the sum of w (x - m) */
    ag_real m = 0, s = 1, all = 0, far = 0;
    if (label >= 0) {
        MAXIMUM(m, (ag_real)-INFINITY, i, n, x[i]);
        SUM(s, i, n, v_exp(x[i] - m));
        if (e > 0) { /* else a logit may be -infinity, since its target is 0 */
            SUM(all, i, n, w ? w[i] : 1);
            SUM(far, i, n, (w ? w[i] : 1) * (x[i] - m));
        }
    }
    all = (1 - e) * own + e / (ag_real)n * all;
    if (LANE == 0) {
        loss[0] =
            label < 0 ? 0 : all * v_log(s) - (1 - e) * own * (x[label] - m) - e / (ag_real)n * far;
        loss[a->xs[0].size[0]] = own;
        stat[0] = m;
        stat[1] = all / s;
    }
}

ROW(cross_entropy_parts, entropy_parts(a))
{
    const int64_t rows = a->xs[0].size[0], from = r * ENTROPY_ROW, left = rows - from;
    const int n = left < ENTROPY_ROW ? (int)left : ENTROPY_ROW;
    const ag_real *loss = a->scratch + from, *weight = loss + rows;
    ag_real *part = a->scratch + 2 * rows + r, s, share;
    SUM(s, i, n, loss[i]);
    SUM(share, i, n, weight[i]);
    if (LANE == 0) {
        part[0] = s;
        part[entropy_parts(a)] = share;
    }
}

ROW(cross_entropy_total, 1)
{
    const int n = (int)entropy_parts(a);
    const ag_real *part = a->scratch + 2 * (int64_t)a->xs[0].size[0], *weight = part + n;
    ag_real s, share;
    (void)r;
    SUM(s, i, n, part[i]);
    SUM(share, i, n, weight[i]);
    if (LANE == 0) {
        Y(0)[0] = share == 0 ? 0 : s / share;
        Y(2)[0] = share == 0 ? 0 : 1 / share;
    }
}

ROW_OF_PUT(cross_entropy_backward, a->xs[0].size[0], a->xs[0].size[1])
{
    const int n = a->xs[0].size[1], label = class_of(a, r);
    const ag_real *__restrict__ x = X(0) + r * n, *__restrict__ w = class_weights(a);
    const ag_real d = DY(0)[0] * Y(2)[0], e = (ag_real)a->attr.f[0];
    const ag_real m = Y(1)[2 * r], all = d * Y(1)[2 * r + 1], even = d * e / (ag_real)n;
    ag_real *__restrict__ dx = DX + r * n;
    if (label < 0) {
        EACH (i, n) PUT(dx, i, 0);
        return;
    }
    const ag_real own = d * (1 - e) * (w ? w[label] : 1);
    EACH (i, n) PUT(dx, i, all * v_exp(x[i] - m) - (w ? w[i] : 1) * even - (i == label ? own : 0));
}
