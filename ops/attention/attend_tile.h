/* SPDX-License-Identifier: MIT */
/* attend on a device, where the columns of a node fit into the memory that a block shares, so that
   they are read and written once. attend.h includes this file. */
#ifndef AG_OPS_ATTEND_TILE_H
#define AG_OPS_ATTEND_TILE_H

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

#endif
