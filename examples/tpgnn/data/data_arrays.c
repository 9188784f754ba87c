/* SPDX-License-Identifier: MIT */
/* Schedules from arrays in memory. A damaged schedule is left out and the others stay, whereas a
   damaged file is refused as a whole. */
#include "examples/tpgnn/data/data_internal.h"

#include <math.h>
#include <string.h>

typedef struct arrays {
    const tpgnn_arrays *given;
    int32_t *index;
    ag_failure *first; /* the error of the first schedule that is left out */
} arrays;

static ag_status take_name(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    const size_t n = strlen(r->raw.name) + 1;
    r->file->name = tpugraphs_take(&data->budget, &r->file->bytes, n, 1, r->raw.name, why);
    if (r->file->name) memcpy(r->file->name, r->raw.name, n);
    return why->status;
}

/* Checks values that an npz file could not hold either, before any array is read at these
   places. */
static ag_status check_nodes(const arrays *a, const tpgnn_reading *r, int i, ag_failure *why)
{
    const tpgnn_arrays *g = a->given;
    const int64_t from = g->offset[i], to = g->offset[i + 1];
    if (from < 0 || to <= from || to > g->nodes || to - from > r->nodes)
        return ag_fail(why, AG_EDATA,
                       "%s: schedule %d has the nodes %lld to %lld, but they must ascend, within "
                       "the %lld nodes that there are",
                       r->raw.name, i, (long long)from, (long long)to, (long long)g->nodes);
    for (int64_t v = from; v < to; v++)
        if (g->kind[v] < 0 || g->kind[v] >= r->lines.count || g->children[v] < 0 ||
            g->children[v] >= to - from || g->refers[v] < 0 || !isfinite(g->value[v]))
            return ag_fail(why, AG_EDATA,
                           "%s: node %lld of schedule %d has kind %d, %d children, refers to "
                           "declaration %d and has the value %g, but kinds are 0 to %d, children 0 "
                           "to %lld, declarations not negative, and values finite",
                           r->raw.name, (long long)(v - from), i, g->kind[v], g->children[v],
                           g->refers[v], (double)g->value[v], r->lines.count - 1,
                           (long long)(to - from - 1));
    return AG_OK;
}

static void copy_nodes(tpgnn_nodes *t, int64_t to, const tpgnn_arrays *g, int i)
{
    const int64_t from = g->offset[i];
    const size_t n = (size_t)(g->offset[i + 1] - from);
    memcpy(t->line + to, g->kind + from, n * sizeof *t->line);
    memcpy(t->children + to, g->children + from, n * sizeof *t->children);
    memcpy(t->refers + to, g->refers + from, n * sizeof *t->refers);
    memcpy(t->value + to, g->value + from, n * sizeof *t->value);
}

/* Appends schedule i to the nodes; 0: it is left out. */
static int add_one(tpgnn_nodes *t, const arrays *a, tpgnn_reading *r, int i)
{
    const tpgnn_arrays *g = a->given;
    ag_failure bad = {0};
    const int64_t at = r->node_offset[r->schedules];
    if (g->runtime && g->runtime[i] < 1)
        ag_fail(&bad, AG_EDATA,
                "%s: the run time of schedule %d is %lld, but must be at least 1 ns", r->raw.name,
                i, (long long)g->runtime[i]);
    if (!bad.status && !check_nodes(a, r, i, &bad)) {
        const int64_t n = g->offset[i + 1] - g->offset[i];
        copy_nodes(t, at, g, i);
        tpgnn_nodes part = tpgnn_nodes_part(t, at);
        if (!tpgnn_tree_find(&part, i, (int)n, &bad)) {
            r->node_offset[r->schedules + 1] = at + n;
            return 1;
        }
    }
    if (!a->first->status) *a->first = bad;
    return 0;
}

static ag_status add_all(tpgnn_nodes *t, const arrays *a, tpgnn_reading *r, tpgnn_data *data,
                         ag_failure *why)
{
    int kept = 0;
    for (int i = 0; i < a->given->schedules; i++) {
        r->schedules = kept;
        a->index[i] = add_one(t, a, r, i) ? kept++ : -1;
    }
    r->schedules = kept;
    if (!kept) return ag_fail(why, AG_EDATA, "%s", a->first->sentence);
    if (tpgnn_schedules_make(data, r, why)) return why->status;
    for (int i = 0; i < a->given->schedules; i++)
        if (a->index[i] >= 0) {
            tpgnn_schedule *s = &r->schedule[a->index[i]];
            s->runtime = a->given->runtime ? a->given->runtime[i] : 1;
            s->pass[0] = s->pass[1] = s->runtime;
            s->number = i;
        }
    return tpgnn_trees_keep(data, t, r, why);
}

/* The number of nodes of all schedules together, without those with invalid counts. Schedules may
   share nodes, so `nodes` is no bound. */
static int64_t count_nodes(const tpgnn_arrays *g)
{
    int64_t n = 0;
    for (int i = 0; i < g->schedules; i++) {
        const int64_t from = g->offset[i], to = g->offset[i + 1];
        if (from >= 0 && to > from && to <= g->nodes) n += to - from;
    }
    return n;
}

static ag_status make_room(tpgnn_nodes *t, tpgnn_reading *r, const tpgnn_arrays *g, ag_failure *why)
{
    r->nodes = count_nodes(g);
    if (r->nodes > INT32_MAX / 8)
        return ag_fail(why, AG_EDATA,
                       "%s: the schedules have %lld nodes together, but at most %d are supported; "
                       "give fewer at once",
                       r->raw.name, (long long)r->nodes, INT32_MAX / 8);
    const size_t n = (size_t)r->nodes + 1;
    t->line = ag_alloc(n * sizeof *t->line);
    t->children = ag_alloc(n * sizeof *t->children);
    t->refers = ag_alloc(n * sizeof *t->refers);
    t->value = ag_alloc(n * sizeof *t->value);
    r->node_offset = ag_alloc(((size_t)g->schedules + 1) * sizeof *r->node_offset);
    if (!t->line || !t->children || !t->refers || !t->value || !r->node_offset)
        return harness_files_no_memory(r->raw.name, 4 * n * sizeof *t->line, why);
    r->node_offset[0] = 0;
    return tpgnn_nodes_room(t, r, why);
}

static ag_status read_arrays(tpgnn_data *data, tpgnn_reading *r, const void *from, ag_failure *why)
{
    const arrays *a = from;
    const tpgnn_arrays *g = a->given;
    if (take_name(data, r, why) ||
        tpgnn_kinds_cut(&r->lines, g->kinds, g->kinds_bytes, r->raw.name, why) ||
        tpgnn_kinds_check(data, r, why))
        return why->status;
    tpgnn_nodes t = {.name = r->raw.name, .kinds = r->lines.kind};
    if (!make_room(&t, r, g, why)) add_all(&t, a, r, data, why);
    tpgnn_nodes_free(&t);
    return why->status;
}

ag_status tpgnn_data_arrays(tpgnn_data *data, int32_t *index, const tpgnn_arrays *given,
                            ag_failure *bad, ag_failure *why)
{
    const int before = data->schedules;
    const arrays a = {given, index, bad};
    tpgnn_reading r = {.raw = {.path = given->name, .name = given->name, .budget = &data->budget}};
    const int failed = tpgnn_data_take(data, &r, read_arrays, &a, why);
    for (int i = 0; i < given->schedules; i++)
        index[i] = failed || index[i] < 0 ? -1 : before + index[i];
    return data->parts ? tpgnn_kinds_settle(data, why) : why->status;
}
