/* SPDX-License-Identifier: MIT */
/* The elementwise parts of attend, a row of m channels at a time; the products are calls of their
   own. Running values over the configurations are indexed by AT(j). */
#ifndef AG_OPS_ATTEND_ROW_H
#define AG_OPS_ATTEND_ROW_H

#include "ops/attention/channel_rows.h"
#include "ops/dropout_mask.h"
#include "ops/gelu.h"

enum { X_, W1, B1, W2, B2, T, R }; /* inputs */

/* x [nodes,configs,f], w1 [r,f], w2 [f,r]. */
typedef struct sizes {
    int nodes, configs, f, r;
} sizes;

AG_BOTH sizes sizes_of(const ag_args *a)
{
    sizes s;
    s.nodes = a->xs[X_].size[0];
    s.configs = a->xs[X_].size[1];
    s.f = a->xs[X_].size[2];
    s.r = a->xs[W1].size[0];
    return s;
}

AG_BOTH int64_t rows_of(sizes s) { return (int64_t)s.nodes * s.configs; }

/* The logistic function; below -87 it is 0. */
KERNEL ag_real attend_sigmoid(ag_real x)
{
    const ag_real e = v_exp_down(-v_abs(x));
    return (x < 0 ? e : 1) / (1 + e);
}

/* ---- forward ---- */

/* v holds h w2' and becomes x sigmoid(v + b). top: the largest v / t so far; over: 1 / t. */
KERNEL void attend_gate(ag_real *__restrict__ v, ag_real *__restrict__ top,
                        const ag_real *__restrict__ x, const ag_real *__restrict__ b, ag_real over,
                        int m)
{
    EACH (j, m) {
        const ag_real d = x[j] * attend_sigmoid(v[j] + b[j]), z = d * over;
        v[j] = d;
        top[AT(j)] = z > top[AT(j)] ? z : top[AT(j)];
    }
}

/* y = v e and sum += e, where e is the exponential of v / t - top. */
KERNEL void attend_weigh(ag_real *__restrict__ y, ag_real *__restrict__ sum,
                         const ag_real *__restrict__ v, const ag_real *__restrict__ top,
                         ag_real over, int m)
{
    EACH (j, m) {
        const ag_real e = v_exp_down(v[j] * over - top[AT(j)]);
        y[j] = v[j] * e;
        sum[AT(j)] += e;
    }
}

/* y = gelu(y scale + r); scale and r may be NULL. */
KERNEL void attend_gelu(ag_real *__restrict__ y, const ag_real *__restrict__ scale,
                        const ag_real *__restrict__ r, int m)
{
    if (scale && r)
        EACH (j, m) y[j] = v__gelu(y[j] * scale[AT(j)] + r[j]);
    else if (r)
        EACH (j, m) y[j] = v__gelu(y[j] + r[j]);
    else if (scale)
        EACH (j, m) y[j] = v__gelu(y[j] * scale[AT(j)]);
    else
        EACH (j, m) y[j] = v__gelu(y[j]);
}

/* Multiplies y by the factors of dropout; e: its first element. */
KERNEL void attend_drop(ag_real *y, const ag_args *a, int64_t e, int n)
{
    ag_real factor[128];
    for (int i = 0; i < n;) {
        const int64_t b = (e + i) / 128;
        const int skip = (int)(e + i - b * 128), some = n - i < 128 - skip ? n - i : 128 - skip;
        dropout_factors(factor, a, (uint64_t)b);
        for (int k = 0; k < some; k++) y[i + k] *= factor[skip + k];
        i += some;
    }
}

/* ---- backward; v = x gate is computed again wherever it is needed ---- */

KERNEL void attend_gate_again(ag_real *__restrict__ gate, const ag_real *__restrict__ b, int m)
{
    EACH (j, m) gate[j] = attend_sigmoid(gate[j] + b[j]);
}

KERNEL void attend_softmax(ag_real *__restrict__ soft, const ag_real *__restrict__ x,
                           const ag_real *__restrict__ gate, const ag_real *__restrict__ most,
                           const ag_real *__restrict__ inverse, ag_real over, int m)
{
    EACH (j, m) soft[AT(j)] = v_exp_down(x[j] * gate[j] * over - most[j]) * inverse[j];
}

/* g, the gradient of GELU's result, becomes that of its input x gate soft + r; soft and r may be
   NULL. */
KERNEL void attend_slope(ag_real *__restrict__ g, const ag_real *__restrict__ x,
                         const ag_real *__restrict__ gate, const ag_real *__restrict__ soft,
                         const ag_real *__restrict__ r, int m)
{
    if (soft && r)
        EACH (j, m) g[j] *= v__gelu_slope(x[j] * gate[j] * soft[AT(j)] + r[j]);
    else if (r)
        EACH (j, m) g[j] *= v__gelu_slope(x[j] * gate[j] + r[j]);
    else if (soft)
        EACH (j, m) g[j] *= v__gelu_slope(x[j] * gate[j] * soft[AT(j)]);
    else
        EACH (j, m) g[j] *= v__gelu_slope(x[j] * gate[j]);
}

/* Sums of p, p v and soft v over the configurations, where p = soft g v and g is the gradient of v
   soft. */
KERNEL void attend_sums(ag_real *__restrict__ sp, ag_real *__restrict__ spv,
                        ag_real *__restrict__ sv, const ag_real *__restrict__ g,
                        const ag_real *__restrict__ x, const ag_real *__restrict__ gate,
                        const ag_real *__restrict__ soft, int m)
{
    EACH (j, m) {
        const ag_real v = x[j] * gate[j], p = soft[AT(j)] * g[j] * v;
        sp[AT(j)] += p;
        spv[AT(j)] += p * v;
        sv[AT(j)] += soft[AT(j)] * v;
    }
}

/* dv = left + soft (g + (g v - sp) / t); dx gets dv gate, gate becomes the gradient of the
   sigmoid's argument, and db gets the column sum of this gradient. */
KERNEL void attend_ungate(ag_real *__restrict__ dx, ag_real *__restrict__ gate,
                          ag_real *__restrict__ db, const ag_real *__restrict__ left,
                          const ag_real *__restrict__ g, const ag_real *__restrict__ x,
                          const ag_real *__restrict__ soft, const ag_real *__restrict__ sp,
                          ag_real over, int m, const int add)
{
    EACH (j, m) {
        const ag_real open = gate[j], d = g[j];
        const ag_real k =
            (left[j] + soft[AT(j)] * (d + (d * x[j] * open - sp[AT(j)]) * over)) * open;
        const ag_real q = k * x[j] * (1 - open);
        PUT(dx, j, k);
        gate[j] = q;
        db[AT(j)] += q;
    }
}

#endif
