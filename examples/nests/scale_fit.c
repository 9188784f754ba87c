/* SPDX-License-Identifier: MIT */
/* The scale of a model from its training files. */
#include "examples/harness/harness.h"
#include "examples/nests/batch.h"

ag_status nests_scale_fit(nests_scale *s, const nests_set *set, ag_failure *why)
{
    const nests_data *data = &set->data;
    nests_rows rows = {0};
    for (int g = 0; g < data->groups && harness_go_on(why); g++) {
        const int *item = nests_list(&set->train, g), all = nests_count(&set->train, g);
        const int n = all < NESTS_FITTED ? all : NESTS_FITTED;
        if (n && !data->maker->rows(&rows, data, g, item, n, why))
            nests_scale_add_items(s, &rows, data->group[g].runtime, item);
    }
    nests_scale_end(s);
    data->maker->free_rows(&rows);
    return why->status;
}
