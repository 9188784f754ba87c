/* SPDX-License-Identifier: MIT */
/* Sums of a few rows of a table; element k of an index counts from row k * attr.i[0]. The gradient
   of a table row is the sum of dy over the bags that name it. */
#include "ops/listed_rows.h"

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
    scatter_strip(DX, DY(0), a, a->xs[0].size[0], a->xs[0].size[1], o, c, n, add);
}

/* ---- on a device, for a table of few rows in many bags ---- */

STRIP(embedding_bag_back_pieces, cut_slots(list_cut(a, a->xs[0].size[0])), a->xs[0].size[1])
{
    scatter_piece(DY(0), a, a->xs[0].size[0], a->xs[0].size[1], o, c, n);
}

TILE_PUT(embedding_bag_back_join, a->xs[0].size[0], a->xs[0].size[1], 0)
{
    (void)tile;
    scatter_join(DX, a, a->xs[0].size[0], a->xs[0].size[1], o, c, n, add);
}
