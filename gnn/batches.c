/* SPDX-License-Identifier: MIT */
#include "gnn/batches.h"
#include "autograd/op.h"
#include "core/error.h"
#include "core/internal.h"
#include "core/memory.h"
#include "core/random.h"

#include <string.h>

enum { BATCHES_STREAM = 0x42415443 }; /* keeps these draws apart from other users of the seed */

struct ag_batches {
    ag_samples samples;
    int n, size, shuffled, at; /* at: samples of this epoch that were given, n + 1: it is over */
    uint64_t seed;
    int32_t *which, *order;        /* [n] as given, and as this epoch has them */
    int64_t *first[3];             /* [count + 1] of each ag_per: the first row of each sample */
    ag_graph **graph;              /* [count]; those that are not in `which` are NULL */
    const ag_graph **chosen;       /* [size] */
    ag_graph *joined;              /* of the batch */
    void *packed[AG_MOST_COLUMNS]; /* rows of the batch */
    size_t room[AG_MOST_COLUMNS];  /* bytes of these */
    ag_batch batch;
};

/* ---- making ---- */

/* The mistake in a column, with what to do; NULL: there is none. */
static const char *fault_of(const ag_column *c, int graphs)
{
    return c->width < 0            ? "its width is below 0; give the numbers in a row of it"
           : !c->real && !c->whole ? "it has no numbers; set its real or its whole"
           : c->real && c->whole   ? "it has real and whole numbers; set only one of them"
           : (unsigned)c->per > AG_PER_EDGE ? "its per is none of ag_per; take one of these"
           : c->per != AG_PER_SAMPLE && !graphs
               ? "it is per node or edge, but the samples have no graphs; set their nodes"
               : NULL;
}

static ag_status check(const ag_samples *s, int n, int size, ag_failure *why)
{
    if (s->count < 0 || n < 0 || size < 1)
        return ag_fail(why, AG_EUSE,
                       "ag_batches_new: %d samples of which %d are taken, %d in a batch; the first "
                       "two must be 0 or more, the last at least 1",
                       s->count, n, size);
    if (s->columns < 0 || s->columns > AG_MOST_COLUMNS)
        return ag_fail(why, AG_EUSE, "ag_batches_new: there are %d columns; it must be 0 to %d",
                       s->columns, AG_MOST_COLUMNS);
    if (s->nodes && !s->edges)
        return ag_fail(why, AG_EUSE,
                       "ag_batches_new: nodes are given, but not the edges of each "
                       "graph; both are needed, or neither");
    for (int k = 0; k < s->columns; k++) {
        const char *fault = fault_of(&s->column[k], s->nodes != NULL);
        if (fault) return ag_fail(why, AG_EUSE, "ag_batches_new: column %d: %s", k, fault);
    }
    return AG_OK;
}

static ag_status take_numbers(ag_batches *b, const int32_t *which, ag_failure *why)
{
    for (int i = 0; i < b->n; i++) {
        b->order[i] = b->which[i] = which ? which[i] : i;
        if (b->which[i] < 0 || b->which[i] >= b->samples.count)
            return ag_fail(
                why, AG_EINDEX,
                "ag_batches_new: number %d of those taken is sample %d, but samples are 0 "
                "to %d",
                i, b->which[i], b->samples.count - 1);
    }
    return AG_OK;
}

static ag_status count_rows(ag_batches *b, ag_failure *why)
{
    const ag_samples *s = &b->samples;
    for (int per = 0; per < 3; per++) b->first[per][0] = 0;
    for (int i = 0; i < s->count; i++) {
        const int nodes = s->nodes ? s->nodes[i] : 0, edges = s->nodes ? s->edges[i] : 0;
        if (nodes < 0 || edges < 0)
            return ag_fail(why, AG_ESHAPE,
                           "sample %d has %d nodes and %d edges; both must be 0 or "
                           "more",
                           i, nodes, edges);
        b->first[AG_PER_SAMPLE][i + 1] = i + 1;
        b->first[AG_PER_NODE][i + 1] = b->first[AG_PER_NODE][i] + nodes;
        b->first[AG_PER_EDGE][i + 1] = b->first[AG_PER_EDGE][i] + edges;
    }
    return AG_OK;
}

static ag_status build_graphs(ag_batches *b, ag_failure *why)
{
    const ag_samples *s = &b->samples;
    for (int i = 0; s->nodes && i < b->n; i++) {
        const int g = b->which[i];
        const int64_t first = b->first[AG_PER_EDGE][g];
        ag_failure here = {0};
        if (b->graph[g]) continue;
        b->graph[g] =
            ag_graph_build(s->nodes[g], s->source ? s->source + first : NULL,
                           s->target ? s->target + first : NULL, s->edges[g], s->direction, &here);
        if (!b->graph[g]) return ag_fail(why, here.status, "sample %d: %s", g, here.sentence);
    }
    return AG_OK;
}

/* A block of `count` elements, cleared; NULL and *fits = 0: no memory. */
static void *room(size_t count, size_t bytes, int *fits)
{
    void *block = ag_alloc(ag_size_mul(count, bytes));
    if (block) memset(block, 0, count * bytes);
    *fits &= block != NULL;
    return block;
}

static ag_status make(ag_batches *b, const int32_t *which, ag_failure *why)
{
    const size_t count = (size_t)b->samples.count, n = (size_t)b->n;
    int fits = 1;
    b->which = room(n, sizeof *b->which, &fits);
    b->order = room(n, sizeof *b->order, &fits);
    for (int per = 0; per < 3; per++) b->first[per] = room(count + 1, sizeof **b->first, &fits);
    b->graph = room(count, sizeof *b->graph, &fits);
    b->chosen = room((size_t)b->size, sizeof *b->chosen, &fits);
    if (!fits) return ag_fail(why, AG_EMEMORY, "no memory for batches of %d samples", b->n);
    ag_status status = take_numbers(b, which, why);
    if (status == AG_OK) status = count_rows(b, why);
    return status == AG_OK ? build_graphs(b, why) : status;
}

ag_batches *ag_batches_new(const ag_samples *samples, const int32_t *which, int n, int size,
                           int shuffled, uint64_t seed, ag_failure *why)
{
    if (!samples) {
        ag__refuse_null(why, "ag_batches_new", "samples");
        return NULL;
    }
    if (check(samples, n, size, why) != AG_OK) return NULL;
    ag_batches *b = ag_alloc(sizeof *b);
    if (!b) {
        ag_fail(why, AG_EMEMORY, "no memory for batches of %d samples", n);
        return NULL;
    }
    *b = (ag_batches){.samples = *samples, .n = n, .shuffled = shuffled, .seed = seed};
    b->size = size < n ? size : n;
    if (make(b, which, why) == AG_OK) {
        ag_batches_begin(b, 0);
        return b;
    }
    ag_batches_free(b);
    return NULL;
}

void ag_batches_free(ag_batches *b)
{
    if (!b) return;
    for (int i = 0; b->graph && i < b->samples.count; i++) ag_graph_free(b->graph[i]);
    for (int per = 0; per < 3; per++) ag_free(b->first[per]);
    for (int k = 0; k < AG_MOST_COLUMNS; k++) ag_free(b->packed[k]);
    ag_free(b->which);
    ag_free(b->order);
    ag_free(b->graph);
    ag_free(b->chosen);
    ag_graph_free(b->joined);
    ag_free(b);
}

/* ---- giving ---- */

void ag_batches_begin(ag_batches *b, int64_t epoch)
{
    if (!b) return;
    ag_random random = {b->seed, BATCHES_STREAM + ((uint64_t)epoch << 32), 0};
    b->at = 0;
    if (b->n) memcpy(b->order, b->which, (size_t)b->n * sizeof *b->order);
    if (b->shuffled) ag_random_shuffle(&random, b->order, b->n);
}

/* Rows of the samples' arrays, in the order of the batch, are copied one after the other. */
typedef struct rows {
    char *to;
    const char *from;
    size_t bytes; /* of a row */
} rows;

static void pack_samples(rows r, const ag_batches *b, ag_per per)
{
    for (int i = 0; i < b->batch.count; i++) {
        const int64_t *first = b->first[per] + b->batch.which[i];
        const size_t bytes = (size_t)(first[1] - first[0]) * r.bytes;
        if (bytes) memcpy(r.to, r.from + (size_t)first[0] * r.bytes, bytes);
        r.to += bytes;
    }
}

/* The messages of a batch are those of its graphs, one graph after the other. */
static void pack_messages(rows r, const ag_batches *b)
{
    for (int i = 0; i < b->batch.count; i++) {
        const ag_graph *g = b->chosen[i];
        const int64_t first = b->first[AG_PER_EDGE][b->batch.which[i]];
        for (int p = 0; p < g->messages; p++, r.to += r.bytes)
            if (r.bytes) memcpy(r.to, r.from + (size_t)(first + g->edge[p]) * r.bytes, r.bytes);
    }
}

static int64_t rows_of(const ag_batches *b, ag_per per)
{
    const ag_graph *g = b->batch.graph;
    return per == AG_PER_SAMPLE ? b->batch.count : per == AG_PER_NODE ? g->nodes : g->messages;
}

static size_t row_bytes(const ag_column *c)
{
    const size_t width = c->width ? (size_t)c->width : 1;
    return ag_size_mul(width, c->real ? sizeof *c->real : sizeof *c->whole);
}

static ag_status pack(ag_batches *b, int k, ag_failure *why)
{
    const ag_column *c = &b->samples.column[k];
    const void *from = c->real ? (const void *)c->real : c->whole;
    const size_t bytes = ag_size_mul((size_t)rows_of(b, c->per), row_bytes(c));
    if (bytes > b->room[k]) {
        void *more = ag_grow(b->packed[k], bytes);
        if (!more) return ag_fail(why, AG_EMEMORY, "no memory for column %d of a batch", k);
        b->packed[k] = more;
        b->room[k] = bytes;
    }
    const rows r = {b->packed[k], from, row_bytes(c)};
    if (c->per == AG_PER_EDGE)
        pack_messages(r, b);
    else
        pack_samples(r, b, c->per);
    return AG_OK;
}

static ag_status join_graphs(ag_batches *b, ag_failure *why)
{
    for (int i = 0; i < b->batch.count; i++) b->chosen[i] = b->graph[b->batch.which[i]];
    ag_graph_free(b->joined);
    b->joined = ag_graph_batch(b->chosen, b->batch.count, why);
    b->batch.graph = b->joined;
    return b->joined ? AG_OK : AG_EMEMORY;
}

const ag_batch *ag_batches_next(ag_batches *b, ag_failure *why)
{
    if (!b) return NULL;
    if (b->at > b->n)
        ag_fail(why, AG_EUSE,
                "ag_batches_next: the epoch is over; begin the next one with ag_batches_begin");
    if (b->at >= b->n) {
        b->at = b->n + 1; /* the end is reported once */
        return NULL;
    }
    const int left = b->n - b->at;
    b->batch = (ag_batch){left < b->size ? left : b->size, b->order + b->at, NULL, b};
    if (b->samples.nodes && join_graphs(b, why) != AG_OK) return NULL;
    for (int k = 0; k < b->samples.columns; k++)
        if (pack(b, k, why) != AG_OK) return NULL;
    b->at += b->batch.count;
    return &b->batch;
}

ag_tensor *ag_batch_column(ag_tape *tape, const ag_batch *batch, int k)
{
    const ag_batches *b = batch ? batch->from : NULL;
    if (!b) {
        ag_tape_fail(tape, AG_EUSE,
                     "ag_batch_column: batch is NULL; either ag_batches_next failed and says why, "
                     "or the epoch is over and ag_batches_begin begins the next one");
        return ag__poison(tape);
    }
    if (k < 0 || k >= b->samples.columns) {
        ag_tape_fail(tape, AG_EUSE,
                     "ag_batch_column: there is no column %d, as the samples have %d; set "
                     "ag_samples.columns to their count",
                     k, b->samples.columns);
        return ag__poison(tape);
    }
    const ag_column *c = &b->samples.column[k];
    const int rows = (int)rows_of(b, c->per);
    const ag_shape shape = c->width ? AG_SHAPE(rows, c->width) : AG_SHAPE(rows);
    return c->real ? ag_input(tape, b->packed[k], shape) : ag_input_i32(tape, b->packed[k], shape);
}
