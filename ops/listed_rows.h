/* SPDX-License-Identifier: MIT */
/* Sums into rows that an index names, for ops with the index as input 1. A sum has one unit per
   destination and strip of columns: the inverse of the index (core/inverse.h), in scratch, lists
   the rows that go there. On a device the lists are cut into pieces where few destinations have
   long ones. */
#ifndef AG_OPS_LISTED_ROWS_H
#define AG_OPS_LISTED_ROWS_H

#include "core/inverse.h"
#include "core/kernel.h"
#include "ops/segment_pieces.h"

/* The inverse for n destinations is in scratch as int32: n + 1 starts, then the order. */
AG_BOTH int32_t *list_starts(const ag_args *a) { return (int32_t *)(void *)a->scratch; }
AG_BOTH int64_t lists_size(const ag_args *a, int64_t n)
{
    const int64_t bytes = (n + 1 + ag__elements(a->xs[1])) * (int64_t)sizeof(int32_t);
    return (bytes + (int64_t)sizeof(ag_real) - 1) / (int64_t)sizeof(ag_real);
}

/* After it is what making it takes, and when it is made, the sums of pieces. */
AG_BOTH ag_real *after_lists(const ag_args *a, int n) { return a->scratch + lists_size(a, n); }

/* to[v,c..c+n-1] = sum of the rows of `from` that the inverse lists for v, in their order. */
KERNEL void scatter_strip(ag_real *to, const ag_real *from, const ag_args *a, int rows, int width,
                          int64_t v, int c, int n, const int add)
{
    const int32_t *starts = list_starts(a), *order = starts + rows + 1;
    ag_real sum[AG_PER_LANE];
    strip_sum(sum, from, order, NULL, starts[v], starts[v + 1], width, c, n);
    to += v * width + c;
    EACH (j, n) PUT(to, j, sum[AT(j)]);
}

/* ---- on a device ---- */

/* The pieces of the lists of n destinations. */
AG_BOTH row_cut list_cut(const ag_args *a, int n)
{
    return cut_of(list_starts(a), n, (int)ag__elements(a->xs[1]), 0);
}

KERNEL void scatter_piece(const ag_real *from, const ag_args *a, int rows, int width, int64_t slot,
                          int c, int n)
{
    leave_sum(after_lists(a, rows), list_cut(a, rows), from, list_starts(a) + rows + 1, slot, width,
              c, n);
}

KERNEL void scatter_join(ag_real *to, const ag_args *a, int rows, int width, int64_t v, int c,
                         int n, const int add)
{
    ag_real sum[AG_PER_LANE];
    join_sums(sum, list_cut(a, rows), after_lists(a, rows), v, width, c, n);
    to += v * width + c;
    TILE_ROWS(r, 1)
    EACH (j, n) PUT(to, j, sum[AT(j)]);
}

/* ---- on the host; `to` is the shape of the destinations ---- */

/* Element i,j of the index [m,k] names destination index[i,j] + j * stride. */
static inline void make_lists(const ag_args *a, ag_shape to, int k, int stride)
{
    int32_t *starts = list_starts(a);
    const int n = to.size[0];
    ag__invert(a->device, starts, starts + n + 1, XI(1), a->xs[1].size[0], k, n, stride,
               after_lists(a, n));
}

static inline int64_t lists_scratch(const ag_args *a, ag_shape to)
{
    return lists_size(a, to.size[0]) + ag__invert_scratch(a->device, ag__elements(a->xs[1]));
}

static inline int in_pieces(const ag_args *a, ag_shape to)
{
    return cut_pays(list_cut(a, to.size[0]), row_elements(to));
}

static inline int64_t lists_scratch_there(const ag_args *a, ag_shape to)
{
    const int64_t made = ag__invert_scratch(a->device, ag__elements(a->xs[1]));
    const int64_t sums =
        in_pieces(a, to) ? cut_slots(list_cut(a, to.size[0])) * row_elements(to) : 0;
    return lists_size(a, to.size[0]) + (made > sums ? made : sums);
}

#endif
