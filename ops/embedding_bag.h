/* SPDX-License-Identifier: MIT */
/* Sums of a few rows of a table; element k of an index counts from row k * attr.i[0]. The gradient
   of a table row is the sum of dy over the bags that name it, found through the inverse of the
   index as in ops/gather.h. */
#include "core/inverse.h"
#include "core/kernel.h"
#include "ops/segment_pieces.h"

AG_BOTH int64_t bag_scratch(const ag_args *a)
{
    const int64_t bytes =
        (a->xs[0].size[0] + 1 + ag__elements(a->xs[1])) * (int64_t)sizeof(int32_t);
    return (bytes + (int64_t)sizeof(ag_real) - 1) / (int64_t)sizeof(ag_real);
}

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

STRIP_PUT(embedding_bag_backward, a->xs[0].size[0], a->xs[0].size[1])
{
    const int rows = a->xs[0].size[0], width = a->xs[0].size[1];
    const int32_t *starts = (const int32_t *)(const void *)a->scratch, *order = starts + rows + 1;
    ag_real sum[AG_PER_LANE], *dx = DX + o * width + c;
    strip_sum(sum, DY(0), order, starts[o], starts[o + 1], width, c, n);
    EACH (j, n) PUT(dx, j, sum[AT(j)]);
}

/* ---- on a device ---- */

/* For a table of few rows in many bags. In scratch the sums of pieces follow the inverse, if that
 * was made. */

AG_BOTH row_cut bag_cut(const ag_args *a)
{
    return cut_of((const int32_t *)(const void *)a->scratch, a->xs[0].size[0],
                  (int)ag__elements(a->xs[1]), 0);
}

STRIP(embedding_bag_back_pieces, cut_slots(bag_cut(a)), a->xs[0].size[1])
{
    const int32_t *order = (const int32_t *)(const void *)a->scratch + a->xs[0].size[0] + 1;
    leave_sum(a->scratch + bag_scratch(a), bag_cut(a), DY(0), order, o, a->xs[0].size[1], c, n);
}

TILE_PUT(embedding_bag_back_join, a->xs[0].size[0], a->xs[0].size[1], 0)
{
    const int width = a->xs[0].size[1];
    ag_real sum[AG_PER_LANE], *dx = DX + o * width + c;
    (void)tile;
    join_sums(sum, bag_cut(a), a->scratch + bag_scratch(a), o, width, c, n);
    TILE_ROWS(r, 1)
    EACH (j, n) PUT(dx, j, sum[AT(j)]);
}
