/* SPDX-License-Identifier: MIT */
/* Warns of groups, or of programs with several groups, in which many rows are far from those of
   training. Looks at up to NESTS_FITTED items of a group, as many as the scale was fitted to. The
   splits of examples/data give no warning. */
#include "examples/harness/harness.h"
#include "examples/harness/rank/unseen.h"
#include "examples/nests/hooks.h"

/* Numbers of rows: of a program, or of a group if the data name no programs. */
typedef struct count {
    int64_t far, all;
} count;

static void count_rows(count *of, const nests_set *set, const nests_scale *s, ag_failure *why)
{
    const nests_data *data = &set->data;
    nests_rows rows = {0};
    for (int g = 0; g < data->groups && harness_go_on(why); g++) {
        const int all = nests_count(&set->score, g), n = all < NESTS_FITTED ? all : NESTS_FITTED;
        if (!n || data->maker->rows(&rows, data, g, nests_list(&set->score, g), n, why)) continue;
        count *to = &of[data->program ? data->group[g].program : g];
        to->far += nests_scale_far(s, rows.x, rows.rows);
        to->all += rows.rows;
    }
    nests_rows_free(&rows);
}

ag_status nests_warn_unseen(const nests_set *set, const nests_trained *net, const char *run,
                            ag_failure *why)
{
    const nests_data *data = &set->data;
    const int n = data->program ? data->programs : data->groups;
    count *of = HARNESS_NEW(of, n);
    harness_far far = {.what = data->program ? "program" : "group",
                       .rows = "rows",
                       .limit = "more than 10 standard deviations",
                       .run = run,
                       .most = 0.75};
    count_rows(of, set, &net->model.scale, why);
    for (int i = 0; i < n && !why->status; i++)
        harness_far_add(&far, data->program ? data->program[i] : data->group[i].name, of[i].far,
                        of[i].all);
    if (!why->status) harness_far_warn(&far);
    harness_free(of);
    return why->status;
}
