/* SPDX-License-Identifier: MIT */
/* Ops that only move elements. A reshape is a view and has no kernels. */
#include "core/kernel.h"

/* ---- runs, of concat and slice ---- */

/* Along an axis, a tensor has one run of contiguous elements for each index o of the axes before
   it. A run has as many elements as this axis and all axes after it. concat and slice copy runs in
   pieces, so that a single long run still gives work to all threads. */
enum { PIECE = 4096 };

AG_BOTH int64_t pieces_of(int64_t n) { return (n + PIECE - 1) / PIECE; }

AG_BOTH int axis_of(const ag_args *a) { return a->attr.i[0]; }
AG_BOTH int64_t runs_of(ag_shape s, int axis) { return ag__sizes(s, 0, axis); }
AG_BOTH int64_t behind_axis(ag_shape s, int axis) { return ag__sizes(s, axis + 1, s.rank); }
AG_BOTH int64_t run_length(ag_shape s, int axis) { return ag__sizes(s, axis, s.rank); }

/* A piece of a run: elements from..from+n-1 of run o. */
typedef struct piece {
    int64_t o, from;
    int n;
} piece;

AG_BOTH piece piece_at(int64_t o, int64_t p, int64_t length)
{
    const int64_t from = p * PIECE, left = length - from;
    const piece it = {o, from, left < PIECE ? (int)left : PIECE};
    return it;
}

/* ---- concat: attr.i[0] is the axis ---- */

/* The number of pieces of one index o, over all inputs. */
AG_BOTH int64_t concat_pieces(const ag_args *a)
{
    int64_t n = 0;
    for (int k = 0; k < a->n_in; k++) n += pieces_of(run_length(a->xs[k], axis_of(a)));
    return n;
}

/* The longest run of an input. */
AG_BOTH int64_t concat_longest(const ag_args *a)
{
    int64_t longest = 0;
    for (int k = 0; k < a->n_in; k++) {
        const int64_t n = run_length(a->xs[k], axis_of(a));
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* Where input k starts within a run of the output. */
AG_BOTH int64_t concat_offset(const ag_args *a, int k)
{
    int64_t n = 0;
    for (int i = 0; i < k; i++) n += run_length(a->xs[i], axis_of(a));
    return n;
}

ROW_OF(concat_forward, runs_of(a->xs[0], axis_of(a)) * concat_pieces(a), concat_longest(a))
{
    const int axis = axis_of(a);
    const int64_t per = concat_pieces(a);
    int64_t p = r % per;
    int k = 0;
    for (; p >= pieces_of(run_length(a->xs[k], axis)); k++)
        p -= pieces_of(run_length(a->xs[k], axis));
    const int64_t length = run_length(a->xs[k], axis);
    const piece it = piece_at(r / per, p, length);
    const ag_real *x = X(k) + it.o * length + it.from;
    ag_real *y = Y(0) + it.o * run_length(a->ys[0], axis) + concat_offset(a, k) + it.from;
    EACH (i, it.n) y[i] = x[i];
}

ROW_OF_PUT(concat_backward,
           runs_of(a->xs[0], axis_of(a)) * pieces_of(run_length(a->xs[a->which], axis_of(a))),
           run_length(a->xs[a->which], axis_of(a)))
{
    const int axis = axis_of(a), k = a->which;
    const int64_t length = run_length(a->xs[k], axis), per = pieces_of(length);
    const piece it = piece_at(r / per, r % per, length);
    const ag_real *dy = DY(0) + it.o * run_length(a->ys[0], axis) + concat_offset(a, k) + it.from;
    ag_real *dx = DX + it.o * length + it.from;
    EACH (i, it.n) PUT(dx, i, dy[i]);
}

/* ---- slice: attr.i = {axis, from, length} ---- */

ROW_OF(slice_forward, runs_of(a->ys[0], axis_of(a)) * pieces_of(run_length(a->ys[0], axis_of(a))),
       run_length(a->ys[0], axis_of(a)))
{
    const int axis = axis_of(a);
    const int64_t length = run_length(a->ys[0], axis), per = pieces_of(length);
    const piece it = piece_at(r / per, r % per, length);
    const ag_real *x = X(0) + it.o * run_length(a->xs[0], axis) +
                       a->attr.i[1] * behind_axis(a->xs[0], axis) + it.from;
    ag_real *y = Y(0) + it.o * length + it.from;
    EACH (i, it.n) y[i] = x[i];
}

/* i limited to 0..n. */
AG_BOTH int within_piece(int64_t i, int n) { return i < 0 ? 0 : i < n ? (int)i : n; }

/* All of dx is written: the part before the slice, the slice, the part after it. */
ROW_OF_PUT(slice_backward,
           runs_of(a->xs[0], axis_of(a)) * pieces_of(run_length(a->xs[0], axis_of(a))),
           run_length(a->xs[0], axis_of(a)))
{
    const int axis = axis_of(a);
    const int64_t length = run_length(a->xs[0], axis), per = pieces_of(length);
    const int64_t inner = run_length(a->ys[0], axis);
    const int64_t start = a->attr.i[1] * behind_axis(a->xs[0], axis);
    const piece it = piece_at(r / per, r % per, length);
    const int lo = within_piece(start - it.from, it.n);
    const int hi = within_piece(start + inner - it.from, it.n);
    const ag_real *dy = DY(0) + it.o * inner + (lo < hi ? it.from + lo - start : 0);
    ag_real *dx = DX + it.o * length + it.from, *in = dx + lo, *behind = dx + hi;
    EACH (i, hi - lo) PUT(in, i, dy[i]);
    if (add) return;
    EACH (i, lo) dx[i] = 0;
    EACH (i, it.n - hi) behind[i] = 0;
}

/* ---- transpose: in square tiles, so that both sides of a tile stay in the cache ---- */

enum { TILE_SIDE = 32 };

AG_BOTH int64_t tiles_along(int n) { return ((int64_t)n + TILE_SIDE - 1) / TILE_SIDE; }

/* Tile r of to [m,n] = from' with from [n,m]. */
KERNEL void transpose_tile(ag_real *to, const ag_real *from, int n, int m, int64_t r, const int add)
{
    const int64_t across = tiles_along(n), i0 = r % across * TILE_SIDE, j0 = r / across * TILE_SIDE;
    const int width = n - i0 < TILE_SIDE ? (int)(n - i0) : TILE_SIDE;
    const int height = m - j0 < TILE_SIDE ? (int)(m - j0) : TILE_SIDE;
    for (int j = 0; j < height; j++) {
        const ag_real *column = from + i0 * m + j0 + j;
        ag_real *row = to + (j0 + j) * n + i0;
        EACH (i, width) PUT(row, i, column[(int64_t)i * m]);
    }
}

ROW(transpose_forward, tiles_along(a->xs[0].size[0]) * tiles_along(a->xs[0].size[1]))
{
    transpose_tile(Y(0), X(0), a->xs[0].size[0], a->xs[0].size[1], r, 0);
}

ROW_PUT(transpose_backward, tiles_along(a->xs[0].size[0]) * tiles_along(a->xs[0].size[1]))
{
    transpose_tile(DX, DY(0), a->ys[0].size[0], a->ys[0].size[1], r, add);
}

/* ---- block_diagonal: row k of x [h,d] is in columns k d .. k d + d - 1 of row k of y ---- */

ELEMENTS(block_diagonal_forward, ag__elements(a->ys[0]))
{
    const int64_t d = a->xs[0].size[1], wide = a->xs[0].size[0] * d;
    for (int64_t i = lo; i < hi; i++) {
        const int64_t at = i % wide;
        Y(0)[i] = at / d == i / wide ? X(0)[at] : 0;
    }
}

ELEMENTS_PUT(block_diagonal_backward, ag__elements(a->xs[0]))
{
    const int64_t d = a->xs[0].size[1], wide = a->xs[0].size[0] * d;
    for (int64_t i = lo; i < hi; i++) PUT(DX, i, DY(0)[i / d * wide + i]);
}
