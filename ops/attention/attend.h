/* SPDX-License-Identifier: MIT */
/* attend on a device: the products of all rows are calls of their own. Between them a lane
   processes a column of all configurations of a node, in a tile (attend_tile.h) if they fit, else
   in a strip. */
#ifndef AG_OPS_ATTEND_H
#define AG_OPS_ATTEND_H

#include "core/kernel_tile.h"
#include "ops/attention/attend_row.h"

/* Elements of shared memory that a block of attend_tile needs, and one of attend_tile_back: rows
   for w2, b2 and (backward) two numbers per column, and what each configuration keeps. */
AG_BOTH int64_t attend_tile_size(sizes s)
{
    return AG_TILE_WIDTH * ((int64_t)s.r + 1 + 2 * (int64_t)s.configs);
}
AG_BOTH int64_t attend_tile_back_size(sizes s)
{
    return AG_TILE_WIDTH * ((int64_t)s.r + 3 + 4 * (int64_t)s.configs);
}
AG_BOTH int attend_fits(sizes s) { return ag__tile_fits(attend_tile_size(s)); }
AG_BOTH int attend_back_fits(sizes s) { return ag__tile_fits(attend_tile_back_size(s)); }

ROW_OF(attend_squeeze, rows_of(sizes_of(a)), sizes_of(a).r)
{
    const sizes s = sizes_of(a);
    squeeze_rows(Y(1) + r * s.r, X(B1), 1, s.r);
}

/* Multiplies y by the factors of dropout; e: its first element. */
KERNEL void attend_drop_each(ag_real *y, const dropout_key *key, int64_t e, int n)
{
    if (key->limit > 0)
        EACH (j, n) y[j] *= dropout_factor(key, e + j);
}

/* Scratch [rows,f] holds h w2' and becomes x gate. */
STRIP(attend_columns, a->xs[X_].size[0], a->xs[X_].size[2])
{
    const sizes s = sizes_of(a);
    const int64_t first = o * s.configs, f = s.f;
    const ag_real over = 1 / X(T)[0], *x = X(X_) + first * f + c;
    ag_real *v = a->scratch + first * f + c, *most = Y(2) + o * 2 * f + c;
    ag_real top[AG_PER_LANE], sum[AG_PER_LANE];
    const dropout_key key = dropout_key_of(a);
    EACH (j, n) top[AT(j)] = -INFINITY;
    EACH (j, n) sum[AT(j)] = 0;
    for (int64_t k = 0; k < s.configs; k++)
        attend_gate(v + k * f, top, x + k * f, X(B2) + c, over, n);
    for (int64_t k = 0; k < s.configs; k++)
        attend_weigh(Y(0) + ((first + k) * 2 + 1) * f + c, sum, v + k * f, top, over, n);
    EACH (j, n) sum[AT(j)] = 1 / sum[AT(j)];
    for (int64_t k = 0; k < s.configs; k++) {
        const int64_t left = (first + k) * 2 * f + c, right = left + f;
        const ag_real *r = a->n_in > R ? X(R) : NULL;
        EACH (j, n) Y(0)[left + j] = v[k * f + j];
        attend_gelu(Y(0) + left, NULL, r ? r + left : NULL, n);
        attend_gelu(Y(0) + right, sum, r ? r + right : NULL, n);
        attend_drop_each(Y(0) + left, &key, left, n);
        attend_drop_each(Y(0) + right, &key, right, n);
    }
    EACH (j, n) most[j] = top[AT(j)];
    EACH (j, n) most[f + j] = sum[AT(j)];
}

/* ---- backward ---- */

/* Scratch: gates [rows,f] and, unless they stay in a tile, gradients of GELU's input [rows,2f]; for
   each node and column the slope by 1 / t and the sum of the gradient of the sigmoid's argument;
   the slopes of each column; gradients of the hidden values [rows,r], or instead what the one
   kernel of channel attention leaves there; and scratch for sums of columns. */
typedef struct attend_room {
    ag_real *gate, *g, *slopes, *db, *total, *dh;
} attend_room;

AG_BOTH attend_room attend_room_of(const ag_args *a)
{
    const sizes s = sizes_of(a);
    attend_room o;
    o.gate = a->scratch;
    o.g = o.gate + rows_of(s) * s.f;
    o.slopes = attend_back_fits(s) ? o.g : o.g + 2 * rows_of(s) * s.f;
    o.db = o.slopes + (int64_t)s.nodes * s.f;
    o.total = o.db + (int64_t)s.nodes * s.f;
    o.dh = o.total + s.f;
    return o;
}

/* Writes the gradient of GELU's input to g, and that of the residual: n elements from e on, in one
   half of a row of the output. soft is NULL in the left half. */
KERNEL void attend_gelu_back(const ag_args *a, const dropout_key *key, ag_real *g, const ag_real *x,
                             const ag_real *gate, const ag_real *soft, int64_t e, int n)
{
    EACH (j, n) g[j] = DY(0)[e + j];
    attend_drop_each(g, key, e, n);
    attend_slope(g, x, gate, soft, a->n_in > R ? X(R) + e : NULL, n);
    if (a->also) {
        const int add = a->add_also;
        EACH (j, n) PUT(a->also, e + j, g[j]);
    }
}

STRIP_PUT(attend_columns_back, a->xs[X_].size[0], a->xs[X_].size[2])
{
    const sizes s = sizes_of(a);
    const attend_room room = attend_room_of(a);
    const int64_t first = o * s.configs, f = s.f;
    const ag_real over = 1 / X(T)[0], *x = X(X_) + first * f + c;
    const ag_real *most = (const ag_real *)a->y[2] + o * 2 * f + c;
    ag_real *gate = room.gate + first * f + c, *g = room.g + first * 2 * f + c;
    const dropout_key key = dropout_key_of(a);
    ag_real soft[AG_PER_LANE], sp[AG_PER_LANE], spv[AG_PER_LANE], sv[AG_PER_LANE], db[AG_PER_LANE];
    EACH (j, n) sp[AT(j)] = spv[AT(j)] = sv[AT(j)] = db[AT(j)] = 0;
    for (int64_t k = 0; k < s.configs; k++) {
        const ag_real *row = x + k * f;
        ag_real *open = gate + k * f, *left = g + k * 2 * f;
        const int64_t e = (first + k) * 2 * f + c;
        attend_gate_again(open, X(B2) + c, n);
        attend_softmax(soft, row, open, most, most + f, over, n);
        attend_gelu_back(a, &key, left, row, open, NULL, e, n);
        attend_gelu_back(a, &key, left + f, row, open, soft, e + f, n);
        attend_sums(sp, spv, sv, left + f, row, open, soft, n);
    }
    for (int64_t k = 0; k < s.configs; k++) {
        const ag_real *row = x + k * f, *left = g + k * 2 * f;
        ag_real *open = gate + k * f;
        attend_softmax(soft, row, open, most, most + f, over, n);
        attend_ungate(DX + (first + k) * f + c, open, db, left, left + f, row, soft, sp, over, n,
                      add);
    }
    EACH (j, n) room.slopes[o * f + c + j] = spv[AT(j)] - sp[AT(j)] * sv[AT(j)];
    EACH (j, n) room.db[o * f + c + j] = db[AT(j)];
}

#include "ops/attention/attend_tile.h"

ROW_OF(attend_squeeze_back, rows_of(sizes_of(a)), sizes_of(a).r)
{
    const sizes s = sizes_of(a);
    const ag_real *h = (const ag_real *)a->y[1] + r * s.r;
    ag_real *dh = attend_room_of(a).dh + r * s.r;
    EACH (j, s.r) dh[j] = h[j] > 0 ? dh[j] : 0;
}

/* dt = -1/t^2 times the sum of the slopes of all columns. */
ROW_PUT(attend_slope_of_t, 1)
{
    const ag_real *slopes = attend_room_of(a).total;
    const double t = (double)X(T)[0];
    ag_real total;
    SUM(total, j, sizes_of(a).f, slopes[j]);
    if (LANE == 0) PUT(DX, r, (ag_real)(-(double)total / (t * t)));
}

#endif
