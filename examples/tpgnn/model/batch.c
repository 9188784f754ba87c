/* SPDX-License-Identifier: MIT */
/* A batch is measured first; then its arrays are placed in one block and filled. */
#include "examples/tpgnn/model/batch.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/draws.h"

#include <math.h>
#include <string.h>

enum { MOST = 1 << 30, LARGEST = 1000000 /* a constant of the paper's network */ };

/* Scratch for one schedule at a time, sized for the largest; from `runtime` on for all of them. */
typedef struct scratch {
    int largest;    /* nodes of a schedule */
    uint8_t *mark;  /* 1: left out */
    int32_t *place; /* of a node in its graph, or that of the nearest ancestor that stays */
    int32_t *source, *target;
    float *nest;
    int64_t *runtime;
    harness_timed *order;
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

static size_t lay_arrays(tpgnn_batch *b, scratch *s, char *block)
{
    const int64_t g = b->graphs, n = b->nodes, largest = s->largest;
    size_t at = 0;
    b->schedule = tpugraphs_lay(block, &at, g, sizeof *b->schedule);
    b->start = tpugraphs_lay(block, &at, g + 1, sizeof *b->start);
    for (int f = 0; f < TPGNN_FIELDS; f++)
        b->word[f] = tpugraphs_lay(block, &at, n, sizeof **b->word);
    b->number = tpugraphs_lay(block, &at, n * TPGNN_NUMBERS, sizeof *b->number);
    b->paper = tpugraphs_lay(block, &at, n * 2, sizeof *b->paper);
    b->store = tpugraphs_lay(block, &at, n, sizeof *b->store);
    b->store_start = tpugraphs_lay(block, &at, g + 1, sizeof *b->store_start);
    b->program = tpugraphs_lay(block, &at, n, sizeof *b->program);
    b->group_start = tpugraphs_lay(block, &at, b->groups + 1, sizeof *b->group_start);
    b->rank = tpugraphs_lay(block, &at, g, sizeof *b->rank);
    s->mark = tpugraphs_lay(block, &at, largest, sizeof *s->mark);
    s->place = tpugraphs_lay(block, &at, largest, sizeof *s->place);
    s->source = tpugraphs_lay(block, &at, 2 * largest, sizeof *s->source);
    s->target = tpugraphs_lay(block, &at, 2 * largest, sizeof *s->target);
    s->nest = tpugraphs_lay(block, &at, largest * TPGNN_NEST, sizeof *s->nest);
    s->runtime = tpugraphs_lay(block, &at, g, sizeof *s->runtime);
    s->order = tpugraphs_lay(block, &at, g, sizeof *s->order);
    s->down = tpugraphs_lay(block, &at, 2 * g, sizeof *s->down);
    s->up = s->down ? s->down + g : NULL;
    return at;
}

/* Numbers the nodes that stay and returns their number, or -1: no memory. */
static int place_nodes(scratch *s, const tpgnn_data *data, const tpgnn_schedule *schedule,
                       int compact, ag_failure *why)
{
    int n = 0;
    if (compact && tpgnn_nest_indices(s->mark, data, schedule, why)) return -1;
    if (!compact) memset(s->mark, 0, (size_t)schedule->nodes);
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

static ag_status fill_graphs(scratch *s, const tpgnn_schedule *schedule, int i, int nodes,
                             const tpgnn_batch_options *o, ag_failure *why)
{
    const int m = fill_edges(s, schedule, o->edges);
    const ag_direction way = o->both ? AG_BOTH_WAYS : AG_ALONG;
    s->down[i] = ag_graph_build(nodes, s->source, s->target, m, way, why);
    if (!o->both && s->down[i])
        s->up[i] = ag_graph_build(nodes, s->source, s->target, m, AG_AGAINST, why);
    return why->status;
}

static ag_status join_graphs(tpgnn_batch *b, const scratch *s, int both, ag_failure *why)
{
    b->down = ag_graph_batch((const ag_graph *const *)s->down, b->graphs, why);
    if (b->down && !both) b->up = ag_graph_batch((const ag_graph *const *)s->up, b->graphs, why);
    return why->status;
}

static ag_status fill_schedule(tpgnn_batch *b, scratch *s, const tpgnn_data *data, int i,
                               const tpgnn_batch_options *o, ag_failure *why)
{
    const tpgnn_schedule *schedule = b->schedule[i];
    const int first = b->start[i], nodes = place_nodes(s, data, schedule, o->compact, why);
    int stores = b->store_start[i];
    if (nodes < 0 || (o->nest && tpgnn_nest(s->nest, data, schedule, why))) return why->status;
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
    return fill_graphs(s, schedule, i, nodes, o, why);
}

static void fill_ranks(tpgnn_batch *b, const scratch *s)
{
    int group = -1;
    for (int i = 0; i < b->graphs; i++) {
        if (opens_group(b->schedule, i)) b->group_start[++group] = i;
        s->runtime[i] = b->schedule[i]->runtime;
    }
    b->group_start[b->groups] = b->graphs;
    for (int g = 0; g < b->groups; g++) {
        const int first = b->group_start[g];
        harness_ranks(b->rank + first, s->runtime + first, b->group_start[g + 1] - first, s->order);
    }
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
    scratch s;
    if (measure(b, &s, schedule, count, why)) return why->status;
    free_graphs(b);
    if (tpugraphs_room(&b->block, &b->room, lay_arrays(b, &s, NULL), why)) {
        tpgnn_batch_free(b);
        return why->status;
    }
    lay_arrays(b, &s, b->block);
    memcpy(b->schedule, schedule, (size_t)count * sizeof *schedule);
    memset(s.down, 0, 2 * (size_t)count * sizeof *s.down);
    b->start[0] = b->store_start[0] = 0;
    for (int i = 0; i < count && !why->status; i++) fill_schedule(b, &s, data, i, o, why);
    if (!why->status) join_graphs(b, &s, o->both, why);
    for (int i = 0; i < 2 * count; i++) ag_graph_free(s.down[i]);
    if (why->status) return why->status;
    b->nodes = b->start[count];
    b->stores = b->store_start[count];
    fill_ranks(b, &s);
    return o->joined ? tpgnn_batch_rows(b, data, o, why) : AG_OK;
}

void tpgnn_batch_free(tpgnn_batch *b)
{
    free_graphs(b);
    nests_joined_batch_free(&b->rows);
    ag_free(b->block);
    *b = (tpgnn_batch){.step = b->step};
}
