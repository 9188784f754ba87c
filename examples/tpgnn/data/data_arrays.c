/* SPDX-License-Identifier: MIT */
/* Schedules from arrays in memory. A damaged schedule is left out and the others stay, whereas a
   damaged file is refused as a whole. */
#include "examples/tpgnn/data/data_internal.h"

#include <math.h>
#include <string.h>

/* Refuses what an npz file could not hold either, before an array is read at these places. */
static ag_status check(const tpgnn_arrays *g, const tpgnn_reading *r, int i, ag_failure *why)
{
    const int64_t from = g->offset[i], to = g->offset[i + 1];
    if (g->runtime && g->runtime[i] < 1)
        return ag_fail(why, AG_EDATA,
                       "%s: the run time of schedule %d is %lld, but must be at least 1 ns",
                       r->raw.name, i, (long long)g->runtime[i]);
    if (from < 0 || to <= from || to > g->nodes)
        return ag_fail(why, AG_EDATA,
                       "%s: schedule %d has the nodes %lld to %lld, but they must ascend, within "
                       "the %lld nodes that there are",
                       r->raw.name, i, (long long)from, (long long)to, (long long)g->nodes);
    for (int64_t v = from; v < to; v++)
        if (g->kind[v] < 0 || g->kind[v] >= r->lines || g->children[v] < 0 ||
            g->children[v] >= to - from || g->refers[v] < 0 || !isfinite(g->value[v]))
            return ag_fail(why, AG_EDATA,
                           "%s: node %lld of schedule %d has kind %d, %d children, refers to "
                           "declaration %d and has the value %g, but kinds are 0 to %d, children 0 "
                           "to %lld, declarations not negative, and values finite",
                           r->raw.name, (long long)(v - from), i, g->kind[v], g->children[v],
                           g->refers[v], (double)g->value[v], r->lines - 1,
                           (long long)(to - from - 1));
    return AG_OK;
}

/* Copies the nodes of schedule i after those before it, and finds their tree. */
static ag_status add_one(tpgnn_reading *r, const tpgnn_arrays *g, int i, ag_failure *why)
{
    if (check(g, r, i, why)) return why->status;
    const int64_t at = r->offset[r->task.schedules], from = g->offset[i],
                  n = g->offset[i + 1] - from;
    const size_t bytes = (size_t)n * sizeof *r->given;
    memcpy(r->given + at, g->kind + from, bytes);
    memcpy(r->children + at, g->children + from, bytes);
    memcpy(r->refers + at, g->refers + from, bytes);
    memcpy(r->value + at, g->value + from, bytes);
    if (tpgnn_tree_find(r, at, (int)n, i, why)) return why->status;
    r->offset[++r->task.schedules] = at + n;
    return AG_OK;
}

/* `bad` gets the error of the first schedule that is left out. */
static ag_status add_all(tpgnn_data *data, tpgnn_reading *r, const tpgnn_arrays *g, ag_failure *bad,
                         ag_failure *why)
{
    r->task.schedules = g->schedules;
    if (tpgnn_schedules_make(data, r, why)) return why->status;
    r->task.schedules = 0;
    for (int i = 0; i < g->schedules; i++) {
        ag_failure mine = {0};
        if (!add_one(r, g, i, &mine)) {
            tpgnn_schedule *s = &r->schedule[r->task.schedules - 1];
            s->runtime = s->pass[0] = s->pass[1] = g->runtime ? g->runtime[i] : 1;
            s->number = i;
        }
        if (!bad->status) *bad = mine;
    }
    r->nodes = r->offset[r->task.schedules];
    if (!r->task.schedules) return ag_fail(why, AG_EDATA, "%s", bad->sentence);
    tpgnn_trees_give(r);
    return AG_OK;
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

static ag_status make_room(tpgnn_data *data, tpgnn_reading *r, const tpgnn_arrays *g,
                           ag_failure *why)
{
    const size_t offsets = ((size_t)g->schedules + 1) * sizeof *r->offset;
    r->nodes = count_nodes(g);
    if (r->nodes > INT32_MAX / 8)
        return ag_fail(why, AG_EDATA,
                       "%s: the schedules have %lld nodes together, but at most %d are supported; "
                       "give fewer at once",
                       r->raw.name, (long long)r->nodes, INT32_MAX / 8);
    r->task.name = tpugraphs_take_name(&data->budget, &r->task.bytes, r->raw.name, why);
    if (!r->task.name || tpgnn_reading_room(data, r, why)) return why->status;
    r->offset = ag_alloc(offsets);
    if (!r->offset) return harness_files_no_memory(r->raw.name, offsets, why);
    r->offset[0] = 0;
    return AG_OK;
}

ag_status tpgnn_data_arrays(tpgnn_data *data, const tpgnn_arrays *given, ag_failure *bad,
                            ag_failure *why)
{
    tpgnn_reading r = {.raw.name = given->name};
    if (!tpgnn_kinds_cut(data, &r, given->kinds, given->kinds_bytes, why) &&
        !make_room(data, &r, given, why) && !add_all(data, &r, given, bad, why))
        tpgnn_reading_keep(data, &r, why);
    tpgnn_reading_end(data, &r, why);
    return tpgnn_kinds_settle(data, why);
}
