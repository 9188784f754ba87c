/* SPDX-License-Identifier: MIT */
/* Sums and maxima down the rows of segments, for devices: a warp takes 32 columns of a piece of the
   rows (row_pieces.h) and leaves its result in scratch; then a block joins the results of a
   segment. */
#ifndef AG_OPS_SEGMENT_PIECES_H
#define AG_OPS_SEGMENT_PIECES_H

#include "core/kernel_tile.h"
#include "ops/row_pieces.h"
#include "ops/first_axis.h"

/* Rows that a lane loads before it waits for one. */
enum { PIECE_READS = 8 };

/* ---- sums ---- */

/* Row k, or order[k], of a column. */
AG_BOTH ag_real row_of(const ag_real *column, const int32_t *order, int64_t k, int width)
{
    return column[(order ? order[k] : k) * width];
}

/* Does what strip_sum does. */
KERNEL void piece_sum(ag_real *sum, const ag_real *x, const int32_t *order, int64_t lo, int64_t hi,
                      int width, int c, int n)
{
    EACH (j, n) {
        const ag_real *column = x + c + j;
        ag_real all = 0, v[PIECE_READS];
        for (int64_t k = lo; k < hi; k += PIECE_READS) {
            const int some = hi - k < PIECE_READS ? (int)(hi - k) : PIECE_READS;
            ag_real part = 0;
            for (int i = 0; i < PIECE_READS; i++)
                v[i] = i < some ? row_of(column, order, k + i, width) : 0;
            for (int i = 0; i < PIECE_READS; i++) part += v[i];
            all += part;
        }
        sum[AT(j)] = all;
    }
}

/* Writes the sum of the piece in this slot to its row of `parts` [slots,width] in scratch. */
KERNEL void leave_sum(ag_real *parts, row_cut t, const ag_real *x, const int32_t *order,
                      int64_t slot, int width, int c, int n)
{
    const row_piece p = piece_of(t, slot);
    ag_real sum[AG_PER_LANE], *to = parts + slot * width + c;
    piece_sum(sum, x, order, p.lo, p.hi, width, c, n);
    EACH (j, n) to[j] = sum[AT(j)];
}

/* sum = the sum of the pieces of segment g, in each warp of the block. */
KERNEL void join_sums(ag_real *sum, row_cut t, const ag_real *parts, int64_t g, int width, int c,
                      int n)
{
    const int pieces = cut_pieces(t, cut_start(t, g + 1) - cut_start(t, g));
    const ag_real *part = parts + cut_slot(t, g) * width + c;
    EACH (j, n) {
        sum[AT(j)] = 0;
        TILE_ROWS(k, pieces) sum[AT(j)] += part[(int64_t)k * width + j];
    }
    TILE_SUM(sum);
}

/* ---- maxima: the first of the largest ---- */

/* 1: v in row r goes before `best` in row `at`; of equal values the one in the lower row goes
   first. A NaN is larger than all; row -1 is none. */
AG_BOTH int goes_before(ag_real v, int32_t r, ag_real best, int32_t at)
{
    const int same = (v == best) | ((v != v) & (best != best));
    const int larger = (v > best) | ((v != v) & (best == best));
    return (r >= 0) & ((at < 0) | larger | (same & (r < at)));
}

/* Does what strip_max does. */
KERNEL void piece_max(ag_real *best, int32_t *at, const ag_real *x, int64_t lo, int64_t hi,
                      int width, int c, int n)
{
    EACH (j, n) {
        const ag_real *column = x + c + j;
        ag_real most = 0, v[PIECE_READS];
        int32_t from = -1;
        int64_t k = lo;
        for (; k < hi; k += PIECE_READS) {
            const int some = hi - k < PIECE_READS ? (int)(hi - k) : PIECE_READS;
            for (int i = 0; i < PIECE_READS; i++) v[i] = i < some ? column[(k + i) * width] : 0;
            for (int i = 0; i < PIECE_READS; i++) {
                const int better = (i < some) & goes_before(v[i], (int32_t)(k + i), most, from);
                most = better ? v[i] : most;
                from = better ? (int32_t)(k + i) : from;
            }
        }
        best[AT(j)] = most;
        at[AT(j)] = from;
    }
}

/* The rows of the maxima follow the maxima of all slots. */
AG_BOTH int32_t *piece_rows(ag_real *parts, row_cut t, int width)
{
    return (int32_t *)(void *)(parts + cut_slots(t) * width);
}

/* The maximum of the piece in this slot, and its row, go to scratch. */
KERNEL void leave_max(ag_real *parts, row_cut t, const ag_real *x, int64_t slot, int width, int c,
                      int n)
{
    const row_piece p = piece_of(t, slot);
    const int64_t to = slot * width + c;
    ag_real best[AG_PER_LANE];
    int32_t at[AG_PER_LANE], *row = piece_rows(parts, t, width) + to;
    piece_max(best, at, x, p.lo, p.hi, width, c, n);
    EACH (j, n) {
        parts[to + j] = best[AT(j)];
        row[j] = at[AT(j)];
    }
}

/* Elements of the tile that join_max needs. */
enum { MAX_TILE = 2 * AG_TILE_WARPS * AG_TILE_WIDTH };

/* Compares the maxima of the warps of a block; afterwards each warp has the first largest. */
KERNEL void join_warps(ag_real *best, int32_t *at, ag_real *tile, int n)
{
    int32_t *rows = (int32_t *)(void *)&HELD(AG_TILE_WARPS, 0);
    EACH (j, n) {
        HELD(TILE_WARP, j) = best[AT(j)];
        rows[TILE_WARP * AG_TILE_WIDTH + j] = at[AT(j)];
    }
    TILE_SETTLE;
    EACH (j, n)
        for (int w = 0; w < AG_TILE_WARPS; w++) {
            const ag_real v = HELD(w, j);
            const int32_t r = rows[w * AG_TILE_WIDTH + j];
            if (goes_before(v, r, best[AT(j)], at[AT(j)])) {
                best[AT(j)] = v;
                at[AT(j)] = r;
            }
        }
}

/* best and at become the maximum of the pieces of segment g and its row. */
KERNEL void join_max(ag_real *best, int32_t *at, row_cut t, ag_real *parts, int64_t g, int width,
                     int c, int n, ag_real *tile)
{
    const int pieces = cut_pieces(t, cut_start(t, g + 1) - cut_start(t, g));
    const int64_t first = cut_slot(t, g) * width + c;
    const ag_real *part = parts + first;
    const int32_t *row = piece_rows(parts, t, width) + first;
    EACH (j, n) {
        best[AT(j)] = 0;
        at[AT(j)] = -1;
        TILE_ROWS(k, pieces)
        {
            const int64_t e = (int64_t)k * width + j;
            if (goes_before(part[e], row[e], best[AT(j)], at[AT(j)])) {
                best[AT(j)] = part[e];
                at[AT(j)] = row[e];
            }
        }
    }
    join_warps(best, at, tile, n);
}

#endif
