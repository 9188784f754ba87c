/* SPDX-License-Identifier: MIT */
/* Warns of groups, or of programs with several groups, in which many rows are far from those of
   training. Looks at up to NESTS_FITTED items of a group, as many as the scale was fitted to. The
   splits of examples/data give no warning. */
#include "examples/harness/harness.h"
#include "examples/harness/rank/unseen.h"
#include "examples/nests/hooks.h"

ag_status nests_warn_unseen(const nests_set *set, const nests_trained *net, const char *run,
                            ag_failure *why)
{
    const nests_data *data = &set->data;
    const int n = data->program ? data->programs : data->groups;
    nests_rows rows = {0};
    int64_t *far = HARNESS_NEW(far, 2 * (size_t)n), *all = far + n; /* rows of each of them */
    harness_far warning = {.what = data->program ? "program" : "group",
                           .rows = "rows",
                           .limit = "more than 10 standard deviations",
                           .run = run,
                           .most = 0.75};
    for (int g = 0; g < data->groups && harness_go_on(why); g++) {
        const int at = data->program ? data->group[g].program : g;
        int items = nests_count(&set->score, g);
        if (items > NESTS_FITTED) items = NESTS_FITTED;
        if (!items || data->maker->rows(&rows, data, g, nests_list(&set->score, g), items, why))
            continue;
        far[at] += nests_scale_far(&net->model.scale, rows.x, rows.rows);
        all[at] += rows.rows;
    }
    for (int i = 0; i < n && !why->status; i++)
        harness_far_add(&warning, data->program ? data->program[i] : data->group[i].name, far[i],
                        all[i]);
    if (!why->status) harness_far_warn(&warning);
    nests_rows_free(&rows);
    harness_free(far);
    return why->status;
}
