/* SPDX-License-Identifier: MIT */
/* One pass over the nodes: loops, accesses, stores, and how variables move indices. A node inherits
   from its parent, which comes before it, so there is no recursion. */
#include "examples/tpgnn/nest/nest_internal.h"
#include "core/memory.h"
#include "examples/harness/base/base.h"

#include <math.h>

/* Finds what the passes need in advance: last children, constant operands, nodes of each class. */
static void look_ahead(nest_tree *t, int count[NEST_CLASSES])
{
    const tpgnn_schedule *s = t->s;
    for (int v = 0; v < s->nodes; v++) {
        const uint8_t class = nest_kind_of(t, v).class;
        count[class]++;
        const int up = s->parent[v];
        if (up < 0) continue;
        t->last[up] = v;
        if (class != NEST_CONSTANT) continue;
        const uint8_t above = nest_kind_of(t, up).class;
        if (above == NEST_MUL ||
            (s->position[v] == 1 && (above == NEST_FLOORDIV || above == NEST_FLOORMOD)))
            t->constant[up] = s->value[v];
    }
}

static void take_arrays(nest_tree *t)
{
    const int n = t->s->nodes;
    int count[NEST_CLASSES] = {0};
    ag_arena **m = &t->memory;
    ag_arena_reset(*m);
    t->kind = HARNESS_TAKE(m, t->kind, t->data->kinds);
    t->last = HARNESS_TAKE(m, t->last, n);
    t->loop = HARNESS_TAKE(m, t->loop, n);
    t->own = HARNESS_TAKE(m, t->own, n);
    t->store = HARNESS_TAKE(m, t->store, n);
    t->open = HARNESS_TAKE(m, t->open, n);
    t->constant = HARNESS_TAKE(m, t->constant, n);
    t->step = HARNESS_TAKE(m, t->step, n);
    t->inside = HARNESS_TAKE(m, t->inside, n);
    t->way = HARNESS_TAKE(m, t->way, n);
    look_ahead(t, count);
    t->loops = HARNESS_TAKE(m, t->loops, count[NEST_FOR]);
    t->access = HARNESS_TAKE(m, t->access, count[NEST_LOAD] + count[NEST_STORE]);
    t->stores = HARNESS_TAKE(m, t->stores, count[NEST_STORE]);
    t->cost = HARNESS_TAKE(m, t->cost, count[NEST_STORE]);
    t->terms = HARNESS_TAKE(m, t->terms, count[NEST_VAR]);
}

void nest_free(nest_tree *t) { ag_arena_free(t->memory); }

static const nest_way no_index = {-1, 0, 0, 0, 1, NEST_MOST};

static double within(double x) { return x < 1e-9 ? 1e-9 : nest_cap(x); }

/* Passes the effect on the index from an operator to its operand. */
static void pass_on(nest_way *w, const nest_tree *t, int up, uint8_t class, int position)
{
    const double c = fabs((double)t->constant[up]);
    switch (class) {
    case NEST_SUB:
        if (position) w->scale = -w->scale;
        break;
    case NEST_MUL:
        if (c > 0) {
            w->div = within(w->div / c);
            w->period = within(w->period / c);
        }
        break;
    case NEST_FLOORDIV:
        if (c >= 1) {
            w->div = within(w->div * c);
            w->period = within(w->period * c);
        }
        break;
    case NEST_FLOORMOD:
        if (c >= 1 && c < w->period) w->period = c;
        break;
    case NEST_CHOICE:
    case NEST_IF:
        if (position == 0) w->condition = 1;
        break;
    case NEST_COMPARE: w->access = -1; break;
    default: break;
    }
}

static void inherit(nest_tree *t, int v)
{
    const tpgnn_schedule *s = t->s;
    const int up = s->parent[v], position = s->position[v];
    nest_way *w = &t->way[v];
    if (up < 0) {
        t->loop[v] = t->store[v] = -1;
        *w = no_index;
        return;
    }
    const nest_kind k = nest_kind_of(t, up);
    const int body = t->last[up] == v;
    t->loop[v] = k.class == NEST_FOR && body ? t->own[up] : t->loop[up];
    t->store[v] = k.class == NEST_STORE ? t->access[t->own[up]].store : t->store[up];
    t->step[v] = k.step && body ? s->value[up] : t->step[up];
    t->inside[v] = t->inside[up];
    if (k.class == NEST_IF && position && t->inside[v] < 255) t->inside[v]++;
    *w = t->way[up];
    if (k.class == NEST_STORE || k.class == NEST_LOAD) {
        const int dim = position - (k.class == NEST_STORE);
        *w = no_index;
        if (dim < 0) return;
        w->access = t->own[up];
        w->dim = (uint8_t)(dim < NEST_SIZES ? dim : NEST_SIZES - 1);
        w->scale = 1;
    } else {
        pass_on(w, t, up, k.class, position);
    }
}

static void open_loop(nest_tree *t, int v, nest_kind k)
{
    const int i = t->loop_count++, up = t->loop[v];
    nest_loop *l = &t->loops[i];
    const double e = (double)t->s->value[v];
    l->node = v;
    l->up = up;
    l->depth = up < 0 ? 0 : t->loops[up].depth + 1;
    l->inside = -1;
    l->kind = k.loop;
    l->step = (double)t->step[v];
    l->extent = e >= 1 ? nest_cap(e) : 1;
    t->own[v] = i;
    t->open[l->depth] = i;
}

static void open_access(nest_tree *t, int v, nest_kind k)
{
    const int i = t->access_count++;
    nest_access *a = &t->access[i];
    const int buffer = t->s->refers[v];
    a->node = v;
    a->buffer = buffer >= 0 && nest_kind_of(t, buffer).class == NEST_BUFFER ? buffer : -1;
    a->element = nest_kind_of(t, a->buffer < 0 ? v : a->buffer).bytes;
    a->loop = t->loop[v];
    a->loops = a->loop < 0 ? 0 : t->loops[a->loop].depth + 1;
    if (a->loops > NEST_LOOPS) a->loops = NEST_LOOPS;
    a->term = -1;
    a->store = t->store[v];
    t->own[v] = i;
    if (k.class == NEST_STORE) {
        a->store = t->store_count++;
        t->stores[a->store].access = i;
    } else if (a->store >= 0 && t->stores[a->store].access + t->stores[a->store].loads + 1 == i &&
               t->access[t->stores[a->store].access].loop == a->loop) {
        t->stores[a->store].loads++;
    }
}

static void count(nest_tree *t, int v, nest_kind k)
{
    if (t->store[v] < 0 || t->way[v].access >= 0 || t->way[v].condition) return;
    nest_store *s = &t->stores[t->store[v]];
    if (k.class == NEST_CHOICE) s->choices++;
    if (!k.real) return;
    s->ops +=
        k.class == NEST_ADD || k.class == NEST_SUB || k.class == NEST_MUL || k.class == NEST_CHEAP;
    s->divides += k.class == NEST_DIVIDE;
    s->calls += k.class == NEST_CALL;
}

/* The loop that a variable names if it is around the node; -1: none. */
static int loop_named(const nest_tree *t, int v)
{
    const int named = t->s->refers[v], around = t->loop[v];
    if (named < 0 || named >= v || around < 0) return -1;
    if (t->kind[t->s->kind[named]].class != NEST_FOR) return -1;
    const int i = t->own[named], depth = t->loops[i].depth;
    return depth <= t->loops[around].depth && t->open[depth] == i ? i : -1;
}

static void use(nest_tree *t, int v)
{
    const int i = loop_named(t, v);
    const nest_way *w = &t->way[v];
    if (i < 0) return;
    const nest_loop *l = &t->loops[i];
    if (w->condition && l->kind == NEST_VECTOR && t->store[v] >= 0)
        t->stores[t->store[v]].scalar = 1;
    if (w->access < 0) return;
    nest_access *a = &t->access[w->access];
    if (a->loop < 0) return;
    const int level = t->loops[a->loop].depth - l->depth;
    if (level < 0 || level >= NEST_LOOPS) return;
    const double values = l->extent < w->period ? l->extent : w->period;
    nest_term *m = &t->terms[t->term_count];
    m->count = ceil(w->div > 1 ? values / w->div : values);
    if (m->count <= 1) return;
    m->step = w->div < 1 ? w->scale / w->div : w->scale;
    m->level = (uint8_t)level;
    m->dim = w->dim;
    m->next = a->term;
    a->term = t->term_count++;
    a->depends |= 1U << level;
}

void nest_scan(nest_tree *t, const tpgnn_data *data, const tpgnn_schedule *s)
{
    *t = (nest_tree){.memory = t->memory, .data = data, .s = s};
    take_arrays(t);
    for (int v = 0; v < s->nodes; v++) {
        const nest_kind k = nest_kind_of(t, v);
        inherit(t, v);
        if (k.class == NEST_FOR) {
            open_loop(t, v, k);
        } else if (k.class == NEST_LOAD || k.class == NEST_STORE) {
            open_access(t, v, k);
        } else if (k.class == NEST_VAR) {
            use(t, v);
        } else {
            count(t, v, k);
        }
    }
}
