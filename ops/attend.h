/* SPDX-License-Identifier: MIT */
/* The elementwise parts of attend, a row of m channels at a time; the products are core/panels. */
#include "ops/channel_rows.h"
#include "ops/dropout_mask.h"
#include "ops/gelu.h"

/* The logistic function; below -87 it is 0. */
KERNEL ag_real attend_sigmoid(ag_real x)
{
    const ag_real e = v_exp_down(-v_abs(x));
    return (x < 0 ? e : 1) / (1 + e);
}

/* ---- forward ---- */

/* v holds h w2'; becomes x sigmoid(v + b). top = the largest v / t so far; over is 1 / t. */
KERNEL void attend_gate(ag_real *__restrict__ v, ag_real *__restrict__ top,
                        const ag_real *__restrict__ x, const ag_real *__restrict__ b, ag_real over,
                        int m)
{
    EACH (j, m) {
        const ag_real d = x[j] * attend_sigmoid(v[j] + b[j]), z = d * over;
        v[j] = d;
        top[j] = z > top[j] ? z : top[j];
    }
}

/* y = v e and sum += e with e the exponential of v / t - top. */
KERNEL void attend_weigh(ag_real *__restrict__ y, ag_real *__restrict__ sum,
                         const ag_real *__restrict__ v, const ag_real *__restrict__ top,
                         ag_real over, int m)
{
    EACH (j, m) {
        const ag_real e = v_exp_down(v[j] * over - top[j]);
        y[j] = v[j] * e;
        sum[j] += e;
    }
}

/* y = gelu(y scale + r); scale, r: NULL, none. */
KERNEL void attend_gelu(ag_real *__restrict__ y, const ag_real *__restrict__ scale,
                        const ag_real *__restrict__ r, int m)
{
    if (scale && r)
        EACH (j, m) y[j] = v__gelu(y[j] * scale[j] + r[j]);
    else if (r)
        EACH (j, m) y[j] = v__gelu(y[j] + r[j]);
    else if (scale)
        EACH (j, m) y[j] = v__gelu(y[j] * scale[j]);
    else
        EACH (j, m) y[j] = v__gelu(y[j]);
}

/* y = y times the factors of dropout; e: the first element. */
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

/* ---- backward; v = x gate is computed again wherever it is wanted ---- */

KERNEL void attend_gate_again(ag_real *__restrict__ gate, const ag_real *__restrict__ b, int m)
{
    EACH (j, m) gate[j] = attend_sigmoid(gate[j] + b[j]);
}

KERNEL void attend_softmax(ag_real *__restrict__ soft, const ag_real *__restrict__ x,
                           const ag_real *__restrict__ gate, const ag_real *__restrict__ most,
                           const ag_real *__restrict__ inverse, ag_real over, int m)
{
    EACH (j, m) soft[j] = v_exp_down(x[j] * gate[j] * over - most[j]) * inverse[j];
}

/* g, the gradient of GELU's result, becomes that of its input x gate soft + r; soft, r: NULL,
   none. */
KERNEL void attend_slope(ag_real *__restrict__ g, const ag_real *__restrict__ x,
                         const ag_real *__restrict__ gate, const ag_real *__restrict__ soft,
                         const ag_real *__restrict__ r, int m)
{
    if (soft && r)
        EACH (j, m) g[j] *= v__gelu_slope(x[j] * gate[j] * soft[j] + r[j]);
    else if (r)
        EACH (j, m) g[j] *= v__gelu_slope(x[j] * gate[j] + r[j]);
    else if (soft)
        EACH (j, m) g[j] *= v__gelu_slope(x[j] * gate[j] * soft[j]);
    else
        EACH (j, m) g[j] *= v__gelu_slope(x[j] * gate[j]);
}

/* With p = soft g v, g the gradient of v soft: sums of p, p v and soft v over the configurations.
 */
KERNEL void attend_sums(ag_real *__restrict__ sp, ag_real *__restrict__ spv,
                        ag_real *__restrict__ sv, const ag_real *__restrict__ g,
                        const ag_real *__restrict__ x, const ag_real *__restrict__ gate,
                        const ag_real *__restrict__ soft, int m)
{
    EACH (j, m) {
        const ag_real v = x[j] * gate[j], p = soft[j] * g[j] * v;
        sp[j] += p;
        spv[j] += p * v;
        sv[j] += soft[j] * v;
    }
}

/* dv = left + soft (g + (g v - sp) / t); dx gets dv gate, gate becomes the gradient of what the
   sigmoid reads and db its column sum. */
KERNEL void attend_ungate(ag_real *__restrict__ dx, ag_real *__restrict__ gate,
                          ag_real *__restrict__ db, const ag_real *__restrict__ left,
                          const ag_real *__restrict__ g, const ag_real *__restrict__ x,
                          const ag_real *__restrict__ soft, const ag_real *__restrict__ sp,
                          ag_real over, int m, const int add)
{
    EACH (j, m) {
        const ag_real open = gate[j], d = g[j];
        const ag_real k = (left[j] + soft[j] * (d + (d * x[j] * open - sp[j]) * over)) * open;
        const ag_real q = k * x[j] * (1 - open);
        PUT(dx, j, k);
        gate[j] = q;
        db[j] += q;
    }
}

/* ---- on a device, element by element. y holds [v, v softmax(v / t)]; scratch of backward begins
   with v [rows,f], then room for its gradient, then the gradient of GELU's input [rows,2f] ---- */

/* The factor of dropout of element e. */
KERNEL ag_real attend_factor(const ag_args *a, int64_t e)
{
    ag_real factor[128];
    if (!(a->attr.f[0] > 0)) return 1;
    dropout_factors(factor, a, (uint64_t)e / 128);
    return factor[e % 128];
}

ELEMENTS(attend_finish, ag__elements(a->ys[0]))
{
    (void)add;
    for (int64_t e = lo; e < hi; e++) {
        const ag_real z = a->n_in > 6 ? Y(0)[e] + X(6)[e] : Y(0)[e];
        Y(0)[e] = v__gelu(z) * attend_factor(a, e);
    }
}

ELEMENTS(attend_start_back, ag__elements(a->ys[0]))
{
    const int configs = a->xs[0].size[1], f = a->xs[0].size[2], wide = 2 * f;
    const int64_t room = (ag__elements(a->xs[0]) + 15) / 16 * 16;
    const ag_real over = 1 / X(5)[0];
    (void)add;
    for (int64_t e = lo; e < hi; e++) {
        const int64_t row = e / wide, node = row / configs;
        const int c = (int)(e % wide), j = c < f ? c : c - f;
        const ag_real v = a->scratch[row * f + j], *most = Y(2) + node * wide;
        const ag_real soft = c < f ? 1 : v_exp_down(v * over - most[j]) * most[f + j];
        const ag_real z = a->n_in > 6 ? v * soft + X(6)[e] : v * soft;
        const ag_real dz = DY(0)[e] * attend_factor(a, e) * v__gelu_slope(z);
        a->scratch[2 * room + e] = dz;
        if (a->also) a->also[e] = a->add_also ? a->also[e] + dz : dz;
    }
}
