/* SPDX-License-Identifier: MIT */
/* A warning of groups, or programs of groups, whose rows are far from those of training. With the
   splits of examples/data there is none. */
#include "examples/harness/harness.h"
#include "examples/harness/rank/unseen.h"
#include "examples/nests/checkpoint.h"

enum { SAMPLE = 64 };

/* Takes at most SAMPLE of the items of a group, evenly; returns their number. */
static int sample(int item[SAMPLE], const nests_group *g)
{
    const int step = (g->items + SAMPLE - 1) / SAMPLE;
    int n = 0;
    for (int i = 0; i < g->items; i += step) item[n++] = i;
    return n;
}

/* Rows of a program, or of a group where there are no programs. */
typedef struct count {
    int64_t far, all;
} count;

static void count_rows(count *of, const nests_data *data, const nests_scale *s, ag_failure *why)
{
    nests_rows rows = {0};
    for (int g = 0; g < data->groups && harness_go_on(why); g++) {
        int item[SAMPLE];
        const int n = sample(item, &data->group[g]);
        if (!n || data->maker->rows(&rows, data, g, item, n, why)) continue;
        count *to = &of[data->program ? data->group[g].program : g];
        to->far += nests_scale_far(s, rows.x, rows.rows);
        to->all += rows.rows;
    }
    data->maker->free_rows(&rows);
}

ag_status nests_warn_unseen(const nests_data *data, const nests_trained *net, const char *run,
                            ag_failure *why)
{
    const int n = data->program ? data->programs : data->groups;
    count *of = harness_alloc((size_t)n * sizeof *of + 1);
    harness_far far = {
        .rows = "rows", .limit = "more than 10 standard deviations", .run = run, .most = 0.75};
    count_rows(of, data, &net->model.scale, why);
    for (int i = 0; i < n && !why->status; i++)
        harness_far_add(&far, data->program ? data->program[i] : data->group[i].name, of[i].far,
                        of[i].all);
    if (!why->status) harness_far_warn(&far);
    harness_free(of);
    return why->status;
}
