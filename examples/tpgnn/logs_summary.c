/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/logs_summary.h"

#include "examples/harness/bag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry { /* of a string map of stb_ds */
    char *key;
    int value;
} entry;

/* The number of a record's task; a new one is added. */
static int task_of(tpgnn_log_summary *s, const tpgnn_record *r)
{
    entry *index = s->index;
    char *key = harness_text("%d\n%s\n%s", (int)r->kind, r->target, r->task);
    if (!index) stbds_sh_new_strdup(index);
    int at = (int)stbds_shgeti(index, key);
    if (at < 0) {
        const tpgnn_log_task fresh = {r->kind, .task = harness_copy(r->task),
                                      .target = harness_copy(r->target)};
        at = s->tasks++;
        bag_add(s->task, fresh);
        stbds_shput(index, key, at);
    } else
        at = index[at].value;
    s->index = index;
    harness_free(key);
    return at;
}

void tpgnn_log_summary_add(tpgnn_log_summary *s, const tpgnn_record *r)
{
    const int at = task_of(s, r); /* may move the tasks */
    tpgnn_log_task *t = &s->task[at];
    t->records++;
    t->failed[r->error] += r->error != 0;
    for (int i = 0; i < TPGNN_STEPS; i++) t->steps[i] += r->steps[i];
    if (r->runs) bag_add(t->mean, r->mean);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void tpgnn_log_summary_finish(tpgnn_log_summary *s)
{
    for (int i = 0; i < s->tasks; i++) {
        tpgnn_log_task *t = &s->task[i];
        const int n = bag_count(t->mean);
        t->valid = n;
        t->best = t->median = t->worst = (double)NAN;
        if (n == 0) continue;
        qsort(t->mean, (size_t)n, sizeof *t->mean, ascending);
        t->best = t->mean[0];
        t->median = n % 2 ? t->mean[n / 2] : (t->mean[n / 2 - 1] + t->mean[n / 2]) / 2;
        t->worst = t->mean[n - 1];
    }
}

void tpgnn_log_summary_free(tpgnn_log_summary *s)
{
    entry *index = s->index;
    for (int i = 0; i < s->tasks; i++) {
        bag_free(s->task[i].mean);
        harness_free(s->task[i].task);
        harness_free(s->task[i].target);
    }
    bag_free(s->task);
    stbds_shfree(index);
    *s = (tpgnn_log_summary){0};
}
