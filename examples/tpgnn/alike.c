/* SPDX-License-Identifier: MIT */
/* Why all scores of a task may be equal. */
#include "examples/tpgnn/results.h"

#include <string.h>

static bool same_trees(const tpgnn_schedule *a, const tpgnn_schedule *b)
{
    const size_t n = (size_t)a->nodes;
    return a->nodes == b->nodes && !memcmp(a->kind, b->kind, n * sizeof *a->kind) &&
           !memcmp(a->value, b->value, n * sizeof *a->value) &&
           !memcmp(a->parent, b->parent, n * sizeof *a->parent) &&
           !memcmp(a->refers, b->refers, n * sizeof *a->refers);
}

const char *tpgnn_results_alike(const void *results, int group)
{
    const tpgnn_data *data = &((const tpgnn_results *)results)->files->scored;
    const tpgnn_task *t = &data->task[group];
    const tpgnn_schedule *s = &data->schedule[t->first];
    int i = 1;
    while (i < t->schedules && same_trees(s, s + i)) i++;
    return i == t->schedules ? "its schedules are the same tree" : NULL;
}
