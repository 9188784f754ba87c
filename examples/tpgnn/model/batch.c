/* SPDX-License-Identifier: MIT */
/* A batch is measured first; then its arrays are taken and filled. */
#include "examples/tpgnn/model/batch.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/base.h"
#include "examples/harness/base/draws.h"
#include "examples/tpgnn/rows/rows.h"

#include <math.h>
#include <string.h>

enum { MOST = 1 << 30, LARGEST = 1000000 /* a constant of the paper's network */ };

/* Scratch for one schedule at a time, sized for the largest; `runtime` and the graphs of all. */
typedef struct scratch {
    int largest;    /* nodes of a schedule */
    uint8_t *mark;  /* 1: left out */
    int32_t *place; /* of a node in its graph, or that of the nearest ancestor that stays */
    int32_t *source, *target;
    float *nest;
    int64_t *runtime;
    ag_graph **down, **up;
} scratch;

static int opens_group(const tpgnn_schedule *const *schedule, int i)
{
    return !i || schedule[i]->task != schedule[i - 1]->task;
}

static ag_status measure(tpgnn_batch *b, scratch *s, const tpgnn_schedule *const *schedule,
                         int count, ag_failure *why)
{
    int64_t nodes = 0;
    if (count < 1)
        return ag_fail(why, AG_EUSE, "a batch of %d schedules was asked for; take at least 1",
                       count);
    b->groups = s->largest = 0;
    for (int i = 0; i < count; i++) {
        b->groups += opens_group(schedule, i);
        nodes += schedule[i]->nodes;
        if (schedule[i]->nodes > s->largest) s->largest = schedule[i]->nodes;
    }
    if (nodes > MOST / 2)
        return ag_fail(why, AG_ESHAPE,
                       "a batch of %d schedules has %lld nodes, but at most 2^29 are possible; "
                       "take fewer schedules",
                       count, (long long)nodes);
    b->graphs = count;
    b->nodes = (int)nodes;
    return AG_OK;
}

static void take_arrays(tpgnn_batch *b, scratch *s)
{
    const size_t g = (size_t)b->graphs, n = (size_t)b->nodes, largest = (size_t)s->largest;
    ag_arena **m = &b->memory;
    ag_arena_reset(*m);
    b->schedule = HARNESS_TAKE(m, b->schedule, g);
    b->start = HARNESS_TAKE(m, b->start, g + 1);
    for (int f = 0; f < TPGNN_FIELDS; f++) b->word[f] = HARNESS_TAKE(m, b->word[f], n);
    b->number = HARNESS_TAKE(m, b->number, n * TPGNN_NUMBERS);
    b->paper = HARNESS_TAKE(m, b->paper, n * 2);
    b->store = HARNESS_TAKE(m, b->store, n);
    b->store_start = HARNESS_TAKE(m, b->store_start, g + 1);
    b->program = HARNESS_TAKE(m, b->program, n);
    b->group_start = HARNESS_TAKE(m, b->group_start, b->groups + 1);
    b->rank = HARNESS_TAKE(m, b->rank, g);
    s->mark = HARNESS_TAKE(m, s->mark, largest);
    s->place = HARNESS_TAKE(m, s->place, largest);
    s->source = HARNESS_TAKE(m, s->source, 2 * largest);
    s->target = HARNESS_TAKE(m, s->target, 2 * largest);
    s->nest = HARNESS_TAKE(m, s->nest, largest * TPGNN_NEST);
    s->runtime = HARNESS_TAKE(m, s->runtime, g);
    s->down = HARNESS_TAKE(m, s->down, 2 * g);
    s->up = s->down + g;
}

/* Numbers the nodes that stay and returns their number. */
static int place_nodes(scratch *s, const tpgnn_data *data, const tpgnn_schedule *schedule,
                       int compact)
{
    int n = 0;
    if (compact) tpgnn_nest_indices(s->mark, data, schedule);
    for (int v = 0; v < schedule->nodes; v++)
        s->place[v] = s->mark[v] ? s->place[schedule->parent[v]] : n++;
    return n;
}

static ag_real logarithm(double x) { return (ag_real)(copysign(log2(1 + fabs(x)), x) / 8); }

/* nest [TPGNN_NEST]: columns of its loops; NULL: they are 0. */
static void fill_node(tpgnn_batch *b, int at, const tpgnn_kind *kind, const tpgnn_schedule *s,
                      int v, const float *nest, const tpgnn_batch_options *o)
{
    ag_real *number = b->number + (size_t)at * TPGNN_NUMBERS;
    for (int f = 0; f < TPGNN_FIELDS; f++) b->word[f][at] = kind->index[f];
    number[0] = logarithm((double)s->value[v]);
    number[1] = logarithm((double)s->position[v]);
    number[2] = logarithm((double)s->depth[v]);
    number[3] = (ag_real)kind->named;
    for (int k = 0; k < TPGNN_NEST; k++) number[TPGNN_PLAIN + k] = nest ? (ag_real)nest[k] : 0;
    const double value = kind->constant ? fmax(-LARGEST, fmin(LARGEST, (double)s->value[v])) : 0;
    b->paper[2 * (size_t)at] = o->logs ? logarithm(value) : (ag_real)value;
    b->paper[2 * (size_t)at + 1] = (ag_real)kind->named;
}

/* Edges of the tree, then those of names, each in the order of the nodes v. Where a node was left
   out its ancestor has them: a variable in an index becomes an edge from the access to the loop.
   Returns their number. */
static int fill_edges(const scratch *s, const tpgnn_schedule *schedule, unsigned which)
{
    int m = 0;
    for (unsigned kind = TPGNN_TREE; kind <= TPGNN_NAMES; kind *= 2)
        for (int v = 1; v < schedule->nodes && which & kind; v++) {
            const int from = kind == TPGNN_TREE ? schedule->parent[v] : v;
            const int to = kind == TPGNN_TREE ? v : schedule->refers[v];
            if (to < 0 || s->place[from] == s->place[to]) continue;
            s->source[m] = s->place[from];
            s->target[m++] = s->place[to];
        }
    return m;
}

static ag_status fill_schedule(tpgnn_batch *b, scratch *s, const tpgnn_data *data, int i,
                               const tpgnn_batch_options *o, ag_failure *why)
{
    const tpgnn_schedule *schedule = b->schedule[i];
    const int first = b->start[i], nodes = place_nodes(s, data, schedule, o->compact);
    int stores = b->store_start[i];
    if (o->nest) tpgnn_nest(s->nest, data, schedule, &b->nest);
    for (int v = 0; v < schedule->nodes; v++) {
        if (s->mark[v]) continue;
        const int at = first + s->place[v];
        fill_node(b, at, &data->kind[schedule->kind[v]], schedule, v,
                  o->nest ? s->nest + (size_t)v * TPGNN_NEST : NULL, o);
        if (tpgnn_is_class(data, schedule, v, "BufferStore")) b->store[stores++] = at;
    }
    if (stores == b->store_start[i]) b->store[stores++] = first;
    for (int k = b->store_start[i]; k < stores; k++) b->program[k] = i;
    b->store_start[i + 1] = stores;
    b->start[i + 1] = first + nodes;
    const int m = fill_edges(s, schedule, o->edges);
    const ag_direction way = o->both ? AG_BOTH_WAYS : AG_ALONG;
    s->down[i] = ag_graph_build(nodes, s->source, s->target, m, way, why);
    if (s->down[i] && !o->both)
        s->up[i] = ag_graph_build(nodes, s->source, s->target, m, AG_AGAINST, why);
    return why->status;
}

/* Statements are in the order of their nodes in both. A tree may hold a store where --compact
   leaves nodes out: then its last rows belong to no node. All rows are computed again for each
   batch, as the columns of nest.h are, in 0.03 ms a schedule. */
static void fill_rows(tpgnn_batch *b, const tpgnn_data *data, const tpgnn_batch_options *o)
{
    nests_rows *rows = &b->nests;
    rows->items = 0;
    for (int i = 0; i < b->graphs; i++) nests_schedule_rows_add(rows, data, b->schedule[i]);
    int32_t *in = HARNESS_TAKE(&b->memory, in, rows->rows);
    int32_t *out = HARNESS_TAKE(&b->memory, out, rows->rows);
    for (int i = 0; i < b->graphs; i++) {
        int store = b->store_start[i];
        for (int r = rows->first[i]; r < rows->first[i + 1]; r++, store++) {
            const int stays = store < b->store_start[i + 1];
            in[r] = stays ? b->store[store] : -1;
            out[r] = o->both ? i : stays ? store : -1;
        }
    }
    nests_joined_fill(&b->rows, o->joined, rows, in, b->nodes, out);
}

static void fill_ranks(tpgnn_batch *b, const scratch *s)
{
    int group = -1;
    for (int i = 0; i < b->graphs; i++) {
        if (opens_group(b->schedule, i)) b->group_start[++group] = i;
        s->runtime[i] = b->schedule[i]->runtime;
    }
    b->group_start[b->groups] = b->graphs;
    harness_timed *order = HARNESS_TAKE(&b->memory, order, b->graphs);
    harness_group_ranks(b->rank, s->runtime, b->group_start, b->groups, order);
}

static void free_graphs(tpgnn_batch *b)
{
    ag_graph_free(b->down);
    ag_graph_free(b->up);
    b->down = b->up = NULL;
}

ag_status tpgnn_batch_fill(tpgnn_batch *b, const tpgnn_data *data,
                           const tpgnn_schedule *const *schedule, int count,
                           const tpgnn_batch_options *o, ag_failure *why)
{
    scratch s = {0};
    if (measure(b, &s, schedule, count, why)) return why->status;
    free_graphs(b);
    take_arrays(b, &s);
    memcpy(b->schedule, schedule, (size_t)count * sizeof *schedule);
    for (int i = 0; i < count && !why->status; i++) fill_schedule(b, &s, data, i, o, why);
    if (!why->status) b->down = ag_graph_batch((const ag_graph *const *)s.down, count, why);
    if (b->down && !o->both) b->up = ag_graph_batch((const ag_graph *const *)s.up, count, why);
    for (int i = 0; i < 2 * count; i++) ag_graph_free(s.down[i]);
    if (why->status) return why->status;
    b->nodes = b->start[count];
    b->stores = b->store_start[count];
    if (o->joined) fill_rows(b, data, o);
    fill_ranks(b, &s);
    return AG_OK;
}

void tpgnn_batch_free(void *batch)
{
    tpgnn_batch *b = batch;
    free_graphs(b);
    nests_joined_batch_free(&b->rows);
    nests_rows_free(&b->nests);
    ag_arena_free(b->memory);
    ag_arena_free(b->nest);
    *b = (tpgnn_batch){0};
}
