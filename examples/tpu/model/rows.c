/* SPDX-License-Identifier: MIT */
/* The option --rows: the loop nests of a kernel under its tile, or of a fused kernel under its
   default tile, join the nodes that they compute. */
#include "examples/harness/harness.h"
#include "examples/tpu/model/batch.h"

ag_status tpu_rows_fill(tpu_batch *b, const nests_joined *joined, ag_failure *why)
{
    nests_tile_rows *nests = &b->nests;
    nests->table.items = 0;
    for (int g = 0; g < b->kernels; g++) {
        const int first = b->group_start[g];
        nests_tile_rows_add(nests, b->kernel[first], b->config + first,
                            b->group_start[g + 1] - first);
    }
    for (int i = 0; i < b->samples; i++)
        for (int r = nests->table.first[i]; r < nests->table.first[i + 1]; r++)
            nests->node[r] += b->start[i];
    return nests_joined_fill(&b->rows, joined, &nests->table, nests->node, b->nodes, NULL, why);
}

ag_status tpu_rows_fit(nests_scale *scale, const tpu_data *data, ag_failure *why)
{
    nests_tile_rows nests = {0};
    for (int i = 0; i < data->kernels && harness_go_on(why); i++) {
        const tpu_kernel *k = &data->kernel[i];
        if (!k->runtime) continue;
        nests.table.items = 0;
        nests_tile_rows_add(&nests, k, NULL, k->configs < NESTS_FITTED ? k->configs : NESTS_FITTED);
        nests_scale_add_items(scale, &nests.table, k->runtime, NULL);
    }
    nests_scale_end(scale);
    nests_tile_rows_free(&nests);
    return why->status;
}
