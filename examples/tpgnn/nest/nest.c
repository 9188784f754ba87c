/* SPDX-License-Identifier: MIT */
/* Computes the features of nodes from the loops around them. */
#include "examples/tpgnn/nest/nest.h"

#include "examples/harness/base/base.h"
#include "examples/tpgnn/nest/nest_internal.h"

#include <math.h>
#include <string.h>

/* The columns: of every node, of loops (L_), accesses (A_) and stores (S_). */
enum { TRIPS, VECTOR, UNROLL, PARALLEL, LOOPS, STEP, CONDITIONS };
enum { L_EXTENT = CONDITIONS + 1, L_WORK, L_CYCLES, L_BYTES, L_LINES, L_HEIGHT, L_INSIDE };
enum { L_UNROLLED = L_INSIDE + 1 };
enum { A_BROADCAST = L_UNROLLED + 1, A_CONTIGUOUS, A_ACROSS, A_FIXED, A_NEXT, A_ALONG, A_BYTES };
enum { A_LINES = A_BYTES + 1, A_REUSE, A_BUFFER, A_LOCAL };
enum { S_OPS = A_LOCAL + 1, S_CALLS, S_CHOICES, S_SCALAR, S_STATEMENTS, S_ISSUE, S_CHAIN };
enum { S_OVERHEAD = S_CHAIN + 1, S_MISS_NEAR, S_MISS_MIDDLE, S_MISS_FAR, S_CYCLES, S_TILE };
enum { S_VECTORS = S_TILE + 1, S_FITS, S_UPDATE, S_INNERMOST, S_MOVED, S_BROADCAST, S_CONTIGUOUS };
enum { S_STRIDED = S_CONTIGUOUS + 1, S_COPIES };

static float scaled(double x)
{
    const double y = log2(1 + nest_cap(x)) / 8;
    return (float)(y > 0 ? y : 0);
}

static float flag(int x) { return x ? 1.0F : 0.0F; }

/* Features that all nodes in a loop's body share. */
static void write_around(float *x, const nest_loop *l)
{
    x[TRIPS] = scaled(l->trips - 1);
    x[VECTOR] = scaled(l->vector - 1);
    x[UNROLL] = scaled(l->unroll - 1);
    x[PARALLEL] = scaled(l->parallel - 1);
    x[LOOPS] = (float)(l->depth < 31 ? l->depth + 1 : 32) / 8;
}

static void write_loop(float *x, const nest_tree *t, const nest_loop *l)
{
    x[L_EXTENT] = scaled(l->extent - 1);
    x[L_WORK] = scaled(l->work);
    x[L_CYCLES] = scaled(l->cycles);
    x[L_BYTES] = scaled(l->bytes);
    x[L_LINES] = scaled(l->lines);
    x[L_HEIGHT] = (float)(l->height < 32 ? l->height : 32) / 8;
    x[L_INSIDE] = l->inside < 0 ? 0 : scaled(t->loops[l->inside].extent);
    x[L_UNROLLED] = flag(l->unrolled);
}

static void write_access(float *x, const nest_tree *t, const nest_access *a)
{
    const double trips = a->loop < 0 ? 1 : t->loops[a->loop].trips;
    x[A_BROADCAST] = flag(a->across == 0);
    x[A_CONTIGUOUS] = flag(a->across == 1);
    x[A_ACROSS] = a->across > 1 ? scaled(a->across) : 0;
    x[A_FIXED] = flag(a->along == 0);
    x[A_NEXT] = flag(a->along == 1);
    x[A_ALONG] = a->along > 1 ? scaled(a->along) : 0;
    x[A_BYTES] = scaled(a->elements[a->loops] * a->element);
    x[A_LINES] = scaled(a->lines[a->loops]);
    x[A_REUSE] = scaled(trips / a->elements[a->loops] - 1);
    x[A_BUFFER] = scaled(a->size);
    x[A_LOCAL] = flag(a->buffer >= 0 && t->kind[t->s->kind[a->buffer]].local);
}

static void write_store(float *x, const nest_store *s, const nest_cost *c)
{
    x[S_OPS] = scaled(s->ops);
    x[S_CALLS] = scaled(s->calls + s->divides);
    x[S_CHOICES] = scaled(s->choices);
    x[S_SCALAR] = flag(s->scalar);
    x[S_STATEMENTS] = scaled(c->trips / c->lanes);
    x[S_ISSUE] = scaled(c->issue);
    x[S_CHAIN] = scaled(c->chain);
    x[S_OVERHEAD] = scaled(c->overhead);
    for (int i = 0; i < 3; i++) x[S_MISS_NEAR + i] = scaled(c->miss[i]);
    x[S_CYCLES] = scaled(c->cycles);
    x[S_TILE] = scaled(c->tile - 1);
    x[S_VECTORS] = scaled(c->vectors);
    x[S_FITS] = flag(c->vectors <= 28);
    x[S_UPDATE] = flag(c->update);
    x[S_INNERMOST] = flag(c->innermost);
    x[S_MOVED] = scaled(c->moved);
    x[S_BROADCAST] = scaled(c->broadcast);
    x[S_CONTIGUOUS] = scaled(c->contiguous);
    x[S_STRIDED] = scaled(c->strided);
    x[S_COPIES] = scaled(c->copies - 1);
}

/* Computed once per loop and copied to its nodes. */
static void write_all_around(float *x, const nest_tree *t)
{
    for (int i = 0; i < t->loop_count; i++) write_around(t->loops[i].around, &t->loops[i]);
    for (int v = 0; v < t->s->nodes; v++) {
        float *row = x + (size_t)v * TPGNN_NEST;
        if (t->loop[v] >= 0) memcpy(row, t->loops[t->loop[v]].around, sizeof t->loops->around);
        row[STEP] = t->step[v] > 0 ? scaled((double)t->step[v]) : 0;
        row[CONDITIONS] = (float)(t->inside[v] < 32 ? t->inside[v] : 32) / 8;
    }
}

/* Stores, and what they cost in an iteration of the loop around them. */
static void write_stores(float *x, nest_tree *t, nest_loop *root)
{
    for (int i = 0; i < t->store_count; i++) {
        const nest_access *a = &t->access[t->stores[i].access];
        const nest_cost *c = &t->cost[i];
        write_store(x + (size_t)a->node * TPGNN_NEST, &t->stores[i], c);
        nest_loop *l = a->loop < 0 ? root : &t->loops[a->loop];
        l->work = nest_cap(l->work + 1);
        l->cycles = nest_cap(l->cycles + c->cycles / c->trips);
    }
}

/* Sums over loops, from the inner ones to the outer ones. */
static void sum_loops(nest_tree *t, nest_loop *root)
{
    for (int i = t->loop_count - 1; i >= 0; i--) {
        nest_loop *l = &t->loops[i], *up = l->up < 0 ? root : &t->loops[l->up];
        l->work = nest_cap(l->work * l->extent);
        l->cycles = nest_cap(l->cycles * l->extent);
        up->work = nest_cap(up->work + l->work);
        up->cycles = nest_cap(up->cycles + l->cycles);
        if (l->up >= 0) continue;
        root->bytes = nest_cap(root->bytes + l->bytes);
        root->lines = nest_cap(root->lines + l->lines);
        if (l->height + 1 > root->height) root->height = l->height + 1;
    }
}

void nest_write(float *x, nest_tree *t)
{
    nest_loop root = {.extent = 1, .inside = -1};
    memset(x, 0, (size_t)t->s->nodes * TPGNN_NEST * sizeof *x);
    write_stores(x, t, &root);
    sum_loops(t, &root);
    for (int i = 0; i < t->loop_count; i++)
        write_loop(x + (size_t)t->loops[i].node * TPGNN_NEST, t, &t->loops[i]);
    write_loop(x, t, &root);
    for (int i = 0; i < t->access_count; i++)
        write_access(x + (size_t)t->access[i].node * TPGNN_NEST, t, &t->access[i]);
    write_all_around(x, t);
}

void nest_analyse(nest_tree *t, const tpgnn_data *data, const tpgnn_schedule *s)
{
    nest_scan(t, data, s);
    nest_unroll(t);
    nest_lower(t);
    nest_reach(t);
    for (int i = 0; i < t->store_count; i++) nest_price(&t->cost[i], t, &t->stores[i]);
}

void tpgnn_nest(float *x, const tpgnn_data *data, const tpgnn_schedule *s, ag_arena **memory)
{
    nest_tree t = {.memory = *memory};
    nest_analyse(&t, data, s);
    nest_write(x, &t);
    *memory = t.memory;
}

/* ---- nodes whose information is in the columns already ---- */

/* 1 for a child that repeats its parent. The body of a loop or an attribute is its last child. */
static int is_said(nest_class up, int position, int last)
{
    switch (up) {
    case NEST_BUFFER:
    case NEST_LOAD: return 1;
    case NEST_STORE: return position > 0;
    case NEST_FOR:
    case NEST_ATTRIBUTE: return !last;
    default: return 0;
    }
}

void tpgnn_nest_indices(uint8_t *mark, const tpgnn_data *data, const tpgnn_schedule *s)
{
    nest_tree t = {.data = data, .s = s};
    t.last = HARNESS_TAKE(&t.memory, t.last, s->nodes);
    t.kind = HARNESS_TAKE(&t.memory, t.kind, data->kinds);
    for (int v = 1; v < s->nodes; v++) t.last[s->parent[v]] = v;
    mark[0] = 0;
    for (int v = 1; v < s->nodes; v++) {
        const int up = s->parent[v];
        const nest_class class = (nest_class)nest_kind_of(&t, up).class;
        mark[v] = (uint8_t)(mark[up] || is_said(class, s->position[v], t.last[up] == v));
    }
    nest_free(&t);
}
