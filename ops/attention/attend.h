/* SPDX-License-Identifier: MIT */
/* attend on a device: the products of all rows are calls of their own. Between them a lane
   processes a column of all configurations of a node, in a tile if they fit, else in a strip. */
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

/* ---- in a tile: each column is read and written once ---- */

/* Fills the tile for n columns from c on: for each of the r hidden values a row of its weights in
   w2, then a row of b2. */
KERNEL void attend_tile_weights(ag_real *tile, const ag_args *a, int c, int n)
{
    const int r = sizes_of(a).r;
    TILE_ROWS(j, n)
    EACH (i, r) tile[i * AG_TILE_WIDTH + j] = X(W2)[(int64_t)(c + j) * r + i];
    TILE_ROWS(k, 1)
    EACH (j, n) tile[r * AG_TILE_WIDTH + j] = X(B2)[c + j];
}

/* v = h w2' of one row; `spare` is another row of the tile. */
KERNEL void attend_tile_wide(ag_real *v, ag_real *spare, const ag_real *h, const ag_real *w2, int r,
                             int n)
{
    EACH (j, n) v[j] = 0;
    for (int first = 0; first < r; first += AG_TILE_WIDTH) {
        const int some = r - first < AG_TILE_WIDTH ? r - first : AG_TILE_WIDTH;
        EACH (i, some) spare[i] = h[first + i];
        SETTLE;
        EACH (j, n) {
            ag_real sum = v[j];
            for (int i = 0; i < some; i++) sum += spare[i] * w2[(first + i) * AG_TILE_WIDTH + j];
            v[j] = sum;
        }
        SETTLE;
    }
}

/* v becomes dropout(gelu(v scale + r)), the elements from e on of the output; scale may be NULL. */
KERNEL void attend_tile_out(const ag_args *a, const dropout_key *key, ag_real *v,
                            const ag_real *scale, int64_t e, int n)
{
    attend_gelu(v, scale, a->n_in > R ? X(R) + e : NULL, n);
    attend_drop_each(v, key, e, n);
    EACH (j, n) Y(0)[e + j] = v[j];
}

TILE(attend_tile, a->xs[X_].size[0], a->xs[X_].size[2], attend_tile_size(sizes_of(a)))
{
    const sizes s = sizes_of(a);
    const int64_t first = o * s.configs, f = s.f;
    const ag_real over = 1 / X(T)[0], *x = X(X_) + first * f + c, *h = Y(1) + first * s.r;
    ag_real *w2 = tile, *b2 = w2 + s.r * AG_TILE_WIDTH;
    ag_real *v = b2 + AG_TILE_WIDTH, *e = v + s.configs * AG_TILE_WIDTH;
    ag_real *most = Y(2) + o * 2 * f + c, top[AG_PER_LANE], sum[AG_PER_LANE];
    const dropout_key key = dropout_key_of(a);
    EACH (j, n) top[AT(j)] = -INFINITY;
    EACH (j, n) sum[AT(j)] = 0;
    attend_tile_weights(tile, a, c, n);
    TILE_SETTLE;
    TILE_ROWS(k, s.configs)
    {
        attend_tile_wide(v + k * AG_TILE_WIDTH, e + k * AG_TILE_WIDTH, h + k * s.r, w2, s.r, n);
        attend_gate(v + k * AG_TILE_WIDTH, top, x + k * f, b2, over, n);
    }
    TILE_MAXIMUM(top);
    TILE_ROWS(k, s.configs)
    attend_weigh(e + k * AG_TILE_WIDTH, sum, v + k * AG_TILE_WIDTH, top, over, n);
    TILE_SUM(sum);
    EACH (j, n) sum[AT(j)] = 1 / sum[AT(j)];
    TILE_ROWS(k, s.configs)
    {
        const int64_t left = (first + k) * 2 * f + c;
        attend_tile_out(a, &key, v + k * AG_TILE_WIDTH, NULL, left, n);
        attend_tile_out(a, &key, e + k * AG_TILE_WIDTH, sum, left + f, n);
    }
    TILE_ROWS(k, 1)
    {
        EACH (j, n) most[j] = top[AT(j)];
        EACH (j, n) most[f + j] = sum[AT(j)];
    }
}

/* The values of one row that backward keeps in the tile. */
typedef struct attend_tile_row {
    ag_real *x, *gate, *left, *right;
} attend_tile_row;

AG_BOTH attend_tile_row attend_tile_row_of(ag_real *tile, sizes s, int k)
{
    const int64_t apart = (int64_t)s.configs * AG_TILE_WIDTH;
    attend_tile_row t;
    t.x = tile + ((int64_t)s.r + 3 + k) * AG_TILE_WIDTH;
    t.gate = t.x + apart;
    t.left = t.gate + apart;
    t.right = t.left + apart;
    return t;
}

TILE_PUT(attend_tile_back, a->xs[X_].size[0], a->xs[X_].size[2], attend_tile_back_size(sizes_of(a)))
{
    const sizes s = sizes_of(a);
    const attend_room room = attend_room_of(a);
    const int64_t first = o * s.configs, f = s.f;
    const ag_real over = 1 / X(T)[0], *x = X(X_) + first * f + c;
    const ag_real *saved = (const ag_real *)a->y[2] + o * 2 * f + c;
    const ag_real *h = (const ag_real *)a->y[1] + first * s.r;
    ag_real *b2 = tile + s.r * AG_TILE_WIDTH, *most = b2 + AG_TILE_WIDTH,
            *inverse = most + AG_TILE_WIDTH;
    const dropout_key key = dropout_key_of(a);
    ag_real soft[AG_PER_LANE], sp[AG_PER_LANE], spv[AG_PER_LANE], sv[AG_PER_LANE], db[AG_PER_LANE];
    EACH (j, n) sp[AT(j)] = spv[AT(j)] = sv[AT(j)] = db[AT(j)] = 0;
    attend_tile_weights(tile, a, c, n);
    TILE_ROWS(k, 1)
    {
        EACH (j, n) most[j] = saved[j];
        EACH (j, n) inverse[j] = saved[f + j];
    }
    TILE_SETTLE;
    TILE_ROWS(k, s.configs)
    {
        const attend_tile_row t = attend_tile_row_of(tile, s, k);
        const int64_t e = (first + k) * 2 * f + c;
        EACH (j, n) t.x[j] = x[k * f + j];
        attend_tile_wide(t.gate, t.left, h + k * s.r, tile, s.r, n);
        attend_gate_again(t.gate, b2, n);
        attend_softmax(soft, t.x, t.gate, most, inverse, over, n);
        attend_gelu_back(a, &key, t.left, t.x, t.gate, NULL, e, n);
        attend_gelu_back(a, &key, t.right, t.x, t.gate, soft, e + f, n);
        attend_sums(sp, spv, sv, t.right, t.x, t.gate, soft, n);
    }
    TILE_SUM(sp);
    TILE_SUM(spv);
    TILE_SUM(sv);
    TILE_ROWS(k, s.configs)
    {
        const attend_tile_row t = attend_tile_row_of(tile, s, k);
        const int64_t row = (first + k) * f + c;
        attend_softmax(soft, t.x, t.gate, most, inverse, over, n);
        attend_ungate(DX + row, t.gate, db, t.left, t.right, t.x, soft, sp, over, n, add);
        EACH (j, n) room.gate[row + j] = t.gate[j];
    }
    TILE_SUM(db);
    TILE_ROWS(k, 1)
    {
        EACH (j, n) room.slopes[o * f + c + j] = spv[AT(j)] - sp[AT(j)] * sv[AT(j)];
        EACH (j, n) room.db[o * f + c + j] = db[AT(j)];
    }
}
