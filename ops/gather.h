/* SPDX-License-Identifier: MIT */
/* Copies of rows that an index (input 1) names, sums of a few of them, and sums into such rows. A
   sum into rows has one unit per destination and strip of columns: the inverse of the index
   (core/inverse.h), in scratch, lists the rows that go there. On a device the lists are cut into
   pieces where few destinations have long ones. */
#include "core/inverse.h"
#include "ops/segment_pieces.h"

/* to[r,:] = from[index[r],:], zeros where from [n, ...] has no such row. */
KERNEL void gather_row(ag_real *to, const ag_real *from, const int32_t *index, int n, int width,
                       int64_t r, const int add)
{
    const int32_t v = index[r];
    const ag_real *row = from + (int64_t)v * width;
    to += r * width;
    if (v >= 0 && v < n) {
        EACH (i, width) PUT(to, i, row[i]);
    } else if (!add) {
        EACH (i, width) to[i] = 0;
    }
}

ROW_OF(gather_forward, a->xs[1].size[0], row_width(a->xs[0]))
{
    gather_row(Y(0), X(0), XI(1), a->xs[0].size[0], row_width(a->xs[0]), r, 0);
}

ROW_OF_PUT(scatter_sum_backward, a->xs[1].size[0], row_width(a->ys[0]))
{
    gather_row(DX, DY(0), XI(1), a->ys[0].size[0], row_width(a->ys[0]), r, add);
}

/* Element k of the index counts from row k * attr.i[0] of the table. */
STRIP(embedding_bag_forward, a->xs[1].size[0], a->xs[0].size[1])
{
    const int rows = a->xs[0].size[0], width = a->xs[0].size[1], k = a->xs[1].size[1];
    const int stride = a->attr.i[0];
    const int32_t *index = XI(1) + o * k;
    const ag_real *table = X(0) + c;
    ag_real sum[AG_PER_LANE], *y = Y(0) + o * width + c;
    EACH (j, n) sum[AT(j)] = 0;
    for (int i = 0; i < k; i++) {
        const int64_t v = index[i] + (int64_t)i * stride;
        if (index[i] < 0 || v >= rows) continue;
        const ag_real *row = table + v * width;
        EACH (j, n) sum[AT(j)] += row[j];
    }
    EACH (j, n) y[j] = sum[AT(j)];
}

/* ---- sums into rows ---- */

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

STRIP_PUT(gather_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    scatter_strip(DX, DY(0), a, a->xs[0].size[0], row_width(a->xs[0]), o, c, n, add);
}

STRIP(scatter_sum_forward, a->ys[0].size[0], row_width(a->ys[0]))
{
    scatter_strip(Y(0), X(0), a, a->ys[0].size[0], row_width(a->ys[0]), o, c, n, 0);
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

STRIP(gather_back_pieces, cut_slots(list_cut(a, a->xs[0].size[0])), row_width(a->xs[0]))
{
    scatter_piece(DY(0), a, a->xs[0].size[0], row_width(a->xs[0]), o, c, n);
}

TILE_PUT(gather_back_join, a->xs[0].size[0], row_width(a->xs[0]), 0)
{
    (void)tile;
    scatter_join(DX, a, a->xs[0].size[0], row_width(a->xs[0]), o, c, n, add);
}

STRIP(scatter_sum_pieces, cut_slots(list_cut(a, a->ys[0].size[0])), row_width(a->ys[0]))
{
    scatter_piece(X(0), a, a->ys[0].size[0], row_width(a->ys[0]), o, c, n);
}

TILE(scatter_sum_join, a->ys[0].size[0], row_width(a->ys[0]), 0)
{
    (void)tile;
    scatter_join(Y(0), a, a->ys[0].size[0], row_width(a->ys[0]), o, c, n, 0);
}
