/* SPDX-License-Identifier: MIT */
/* Segments of rows, and how they are cut into pieces for devices: where there are few, long
   segments, a warp for each strip of 32 columns leaves most of a GPU without work. A warp takes a
   piece of a segment, and another kernel joins the pieces in order. How segments are cut depends
   only on their own rows, and the number of pieces on the shapes. */
#ifndef AG_OPS_ROW_PIECES_H
#define AG_OPS_ROW_PIECES_H

#include "core/kernel.h"

/* Rows of a piece; warps that are enough work for a GPU; the most pieces that one kernel joins. */
enum { PIECE_ROWS = 128, PIECE_WARPS = 2048, PIECE_MOST = 2048 };

/* Segment g has the rows starts[g]..starts[g+1]-1. */
typedef struct row_cut {
    const int32_t *starts;
    int64_t segments;
    int rows, piece;
    int ends; /* 1: the first start is taken as 0, the last as `rows`; so one segment needs none */
} row_cut;

AG_BOTH row_cut cut_of(const int32_t *starts, int64_t segments, int rows, int ends)
{
    row_cut t = {starts, segments, rows, PIECE_ROWS, ends};
    if (rows / PIECE_ROWS > PIECE_MOST) t.piece = (rows / PIECE_MOST / 16 + 1) * 16;
    return t;
}

/* 1: the segments are long, and a warp for each segment and 32 columns would be few warps. */
AG_BOTH int cut_pays(row_cut t, int64_t columns)
{
    return t.rows / t.piece > t.segments && t.segments * ((columns + 31) / 32) < PIECE_WARPS;
}

/* A start outside of the rows counts as the nearest end, so that bad starts read no other memory.
 */
AG_BOTH int cut_start(row_cut t, int64_t g)
{
    if (t.ends && (g == 0 || g == t.segments)) return g ? t.rows : 0;
    const int start = t.starts[g];
    return start < 0 ? 0 : start < t.rows ? start : t.rows;
}

/* The segment that has row r: the last that starts at r or before, if it ends after r; else -1.
   With `ends` each row is in one, whatever the starts are. */
AG_BOTH int64_t cut_segment(row_cut t, int64_t r)
{
    int64_t g = -1, end = t.segments; /* cut_start(g) <= r < cut_start(end), if both exist */
    while (end - g > 1) {
        const int64_t middle = g + (end - g) / 2;
        if (cut_start(t, middle) <= r)
            g = middle;
        else
            end = middle;
    }
    return g >= 0 && r < cut_start(t, g + 1) ? g : -1;
}

/* The graphs of a batch, for ops that write a result for every row of input 0: starts int32
   [graphs+1] is input 1. */
AG_BOTH row_cut graphs_of(const ag_args *a)
{
    return cut_of(XI(1), a->xs[1].size[0] - 1, a->xs[0].size[0], 1);
}

/* Pieces have slots: those of segment g begin at cut_slot(g), and some stay empty. */
AG_BOTH int64_t cut_slot(row_cut t, int64_t g) { return cut_start(t, g) / t.piece + g; }
AG_BOTH int64_t cut_slots(row_cut t) { return t.rows / t.piece + t.segments; }

/* Pieces of a segment of this many rows. */
AG_BOTH int cut_pieces(row_cut t, int rows) { return rows > 0 ? (rows - 1) / t.piece + 1 : 0; }

/* The rows of a slot: lo..hi-1, none where it is empty, of a segment that begins at `first`. */
typedef struct row_piece {
    int first, lo, hi;
} row_piece;

AG_BOTH row_piece piece_of(row_cut t, int64_t slot)
{
    int64_t g = -1, end = t.segments; /* cut_slot(g) <= slot < cut_slot(end), if both exist */
    row_piece p = {0, 0, 0};
    while (end - g > 1) {
        const int64_t middle = g + (end - g) / 2;
        if (cut_slot(t, middle) <= slot)
            g = middle;
        else
            end = middle;
    }
    if (g < 0) return p;
    const int last = cut_start(t, g + 1);
    p.first = cut_start(t, g);
    const int64_t lo = p.first + (slot - cut_slot(t, g)) * t.piece;
    if (lo >= last) return p;
    p.lo = (int)lo;
    p.hi = last - p.lo < t.piece ? last : p.lo + t.piece;
    return p;
}

/* Launches the kernel of whole segments or, where a cut pays, the one of their pieces and the one
   that joins them. It is inlined and chooses no pointer, so builds without CUDA drop the pieces. */
AG_BOTH void launch_cut(const ag_args *a, int pays, const ag_kernel *whole, const ag_kernel *pieces,
                        const ag_kernel *join)
{
    if (pays) {
        pieces->cuda(a);
        join->cuda(a);
    } else {
        whole->cuda(a);
    }
}

#endif
