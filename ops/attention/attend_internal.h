/* SPDX-License-Identifier: MIT */
/* Declarations that the files of attend share: sizes, the layout of scratch. */
#ifndef AG_OPS_ATTEND_INTERNAL_H
#define AG_OPS_ATTEND_INTERNAL_H

#include "ops/attention/attend_row.h"
#include "ops/attention/channel_parts.h"

/* How many nodes are processed together: whole nodes of at most ROWS rows (a larger node, by
 * itself).
 */
static inline int group_of(sizes s)
{
    const int n = s.configs ? ROWS / s.configs : ROWS;
    return n < 1 ? 1 : n;
}

/* Forward: scratch holds the panels of w1' and w2'. Backward: the panels of w2', w2 and w1, the
   slope of each node's columns by 1 / t, and for each piece sums of dw1, dw2', db1, db2 and what
   its blocks need. */
static inline int64_t slopes_size(sizes s) { return whole_lines((int64_t)s.nodes * s.f); }
static inline int64_t block_rows(sizes s) { return (int64_t)group_of(s) * s.configs; }

/* Gates, softmax and both halves of the gradient of GELU's input; hidden gradients; three sums. */
static inline int64_t piece_size(sizes s)
{
    const int64_t rows = block_rows(s);
    return whole_lines(sums_size(s.f, s.r)) + 4 * whole_lines(rows * s.f) +
           whole_lines(rows * s.r) + 3 * whole_lines(s.f);
}

/* The scratch of a piece. */
typedef struct room {
    ag_real *sums, *gate, *soft, *g, *dh, *sp, *spv, *sv;
} room;

static inline room room_of(const ag_args *a, sizes s, int64_t piece)
{
    const int64_t wide = whole_lines(block_rows(s) * s.f),
                  narrow = whole_lines(block_rows(s) * s.r);
    room o;
    o.sums = a->scratch + panels_size(s.f, s.r, 1) + slopes_size(s) + piece * piece_size(s);
    o.gate = o.sums + whole_lines(sums_size(s.f, s.r));
    o.soft = o.gate + wide;
    o.g = o.soft + wide;
    o.dh = o.g + 2 * wide;
    o.sp = o.dh + narrow;
    o.spv = o.sp + whole_lines(s.f);
    o.sv = o.spv + whole_lines(s.f);
    return o;
}

/* Forward of nodes lo..hi-1; backward of pieces first..last-1. */
void ag__attend_nodes(const ag_args *a, int64_t lo, int64_t hi);
void ag__attend_pieces(const ag_args *a, int64_t first, int64_t last);

#endif
