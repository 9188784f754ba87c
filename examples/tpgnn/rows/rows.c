/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/rows/rows.h"

#include "examples/tpgnn/rows/statement.h"

#include <math.h>
#include <string.h>

enum {
    LEVELS = 6, /* loops of more than one iteration, from the innermost */
    PART = 18,
    ACCESS = 12,
    LEVEL = 9
};
_Static_assert(NESTS_SCHEDULE_ROW == TPGNN_NEST + PART + ACCESS * (1 + NESTS_ROW_LOADS) +
                                         LEVEL * LEVELS + NESTS_BLOCK_COLUMNS +
                                         NESTS_KERNEL_COLUMNS + NESTS_REUSE_COLUMNS,
               "the columns of a row");

void nests_put(nests_writer *w, double x)
{
    const double size = nest_cap(fabs(x));
    w->x[w->columns++] = (float)(copysign(log2(1 + size), x) / 8);
}

/* Of all statements together. */
typedef struct whole {
    double cycles;
    nest_cost *cost; /* [stores] */
} whole;

/* ---- the statement ---- */

/* Its loads, those that touch most first; without the one of what it updates. */
static void find_loads(nests_statement *s)
{
    for (int i = 1; i <= s->store->loads; i++) {
        const nest_access *a = s->a + i;
        if (a->buffer == s->a->buffer && a->buffer >= 0) continue;
        int at = s->loads < NESTS_ROW_LOADS ? s->loads++ : NESTS_ROW_LOADS;
        for (; at > 0; at--) {
            const nest_access *before = s->load[at - 1];
            if (before->elements[before->loops] >= a->elements[a->loops]) break;
            if (at < NESTS_ROW_LOADS) s->load[at] = before;
        }
        if (at < NESTS_ROW_LOADS) s->load[at] = a;
    }
}

/* The statement's part of the program, and what one execution costs. */
static void write_part(nests_writer *w, const nests_statement *s, const whole *all)
{
    const nest_tree *t = s->t;
    const nest_cost *c = &all->cost[s->number];
    int beside = 0;
    for (int i = 0; i < t->store_count; i++)
        beside += t->access[t->stores[i].access].loop == s->a->loop;
    nests_put(w, 255 * c->cycles / all->cycles);
    nests_put(w, all->cycles);
    nests_put(w, t->store_count);
    nests_put(w, s->number);
    nests_put(w, beside);
    nests_put(w, t->lines);
    nests_put(w, s->store->loads);
    nests_put(w, s->store->divides);
    nests_put(w, s->store->calls);
    nests_put(w, s->a->element);
    nests_put(w, c->lanes);
    /* In 64ths, so that small ones differ. */
    nests_put(w, 64 * c->cycles / c->trips);
    nests_put(w, 64 * c->issue / c->trips);
    nests_put(w, 64 * c->chain / c->trips);
    nests_put(w, 64 * c->overhead / c->trips);
    for (int i = 0; i < 3; i++) nests_put(w, 64 * c->miss[i] / c->trips);
}

/* ---- accesses ---- */

/* The store that last wrote the buffer: before this statement, else in the round before; -1:
   none. */
static int find_producer(const nest_tree *t, int buffer, int number)
{
    for (int k = 1; k < t->store_count && buffer >= 0; k++) {
        const int i = (number - k + t->store_count) % t->store_count;
        if (t->access[t->stores[i].access].buffer == buffer) return i;
    }
    return -1;
}

static void write_access(nests_writer *w, const nests_statement *s, const nest_access *a)
{
    const nest_tree *t = s->t;
    const double trips = a->loop < 0 ? 1 : t->loops[a->loop].trips;
    const int from = find_producer(t, a->buffer, s->number);
    int level = 0;
    while (level < a->loops && nest_moves(a, level)) level++;
    nests_put(w, a->across);
    nests_put(w, a->along);
    nests_put(w, a->elements[a->loops] * a->element);
    nests_put(w, a->lines[a->loops]);
    nests_put(w, trips / a->elements[a->loops]);
    nests_put(w, a->size);
    nests_put(w, a->buffer >= 0 && t->kind[t->s->kind[a->buffer]].local);
    nests_put(w, a->crowd[a->loops]);
    nests_put(w, level);
    nests_put(w, a->lines[level]);
    if (from < 0) {
        nests_put(w, -1);
        nests_put(w, 0);
        return;
    }
    const int loop = nest_common(t, t->access[t->stores[from].access].loop, a->loop);
    nests_put(w, loop < 0 ? t->lines : t->loops[loop].once); /* that a cache has to keep between */
    nests_put(w, s->number - from);
}

/* ---- loops ---- */

const nest_loop *nests_loop_at(const nests_statement *s, int level)
{
    int l = s->a->loop;
    if (level >= s->a->loops) return NULL;
    for (; l >= 0 && level > 0; level--) l = s->t->loops[l].up;
    return l < 0 ? NULL : &s->t->loops[l];
}

void nests_write_strides(nests_writer *w, const nests_statement *s, int level)
{
    for (int i = 0; i < NESTS_ROW_LOADS; i++)
        nests_put(w, level >= 0 && i < s->loads ? s->load[i]->stride[level] : -1);
}

int nests_write_loop(nests_writer *w, const nests_statement *s, int level, int body)
{
    const nest_loop *l;
    while ((l = nests_loop_at(s, level)) && l->extent <= 1) level++;
    nests_put(w, l ? l->extent : -1);
    if (body) nests_put(w, l ? l->stores : -1);
    if (body) nests_put(w, l ? l->inside >= 0 : -1);
    nests_put(w, l ? s->a->stride[level] : -1);
    nests_write_strides(w, s, l ? level : -1);
    return level + 1;
}

double nests_lines_touched(const nests_statement *s, int level)
{
    double lines = 0;
    for (int i = 0; i <= s->store->loads; i++) {
        int seen = 0;
        for (int j = 0; j < i; j++) seen |= s->a[j].buffer == s->a[i].buffer;
        if (!seen) lines = nest_cap(lines + s->a[i].lines[level]);
    }
    return lines;
}

static void write_levels(nests_writer *w, const nests_statement *s)
{
    int shown = 0;
    const nest_loop *o;
    for (int level = 0; (o = nests_loop_at(s, level)) && shown < LEVELS; level++) {
        if (o->extent <= 1) continue;
        shown++;
        nests_put(w, o->extent);
        nests_put(w, o->kind == NEST_VECTOR ? 2 : o->unrolled);
        nests_put(w, nests_lines_touched(s, level + 1));
        nests_put(w, o->once);
        nests_put(w, o->trips);
        nests_put(w, s->a->stride[level]);
        nests_write_strides(w, s, level);
    }
    w->columns += LEVEL * (LEVELS - shown);
}

/* ---- the rows ---- */

static void write_row(float *row, const nest_tree *t, int number, const float *nest,
                      const whole *all)
{
    const nest_store *store = &t->stores[number];
    nests_statement s = {.t = t,
                         .a = &t->access[store->access],
                         .store = store,
                         .number = number,
                         .cost = &all->cost[number]};
    nests_writer w = {row, TPGNN_NEST};
    memset(row, 0, NESTS_SCHEDULE_ROW * sizeof *row);
    memcpy(row, nest + (size_t)s.a->node * TPGNN_NEST, TPGNN_NEST * sizeof *row);
    find_loads(&s);
    write_part(&w, &s, all);
    write_access(&w, &s, s.a);
    for (int i = 0; i < s.loads; i++) write_access(&w, &s, s.load[i]);
    w.columns += ACCESS * (NESTS_ROW_LOADS - s.loads);
    write_levels(&w, &s);
    nests_write_block(&w, &s);
    nests_write_kernel(&w, &s);
    nests_write_reuse(&w, &s);
}

static void price_all(whole *all, const nest_tree *t)
{
    for (int i = 0; i < t->store_count; i++) {
        nest_price(&all->cost[i], t, &t->stores[i]);
        all->cycles = nest_cap(all->cycles + all->cost[i].cycles);
    }
    if (all->cycles < 1) all->cycles = 1;
}

int nests_schedule_rows(float *row, float *cost, int room, const tpgnn_data *data,
                        const tpgnn_schedule *s, ag_failure *why)
{
    const size_t columns = (size_t)s->nodes * TPGNN_NEST * sizeof(float);
    const size_t prices = (size_t)s->nodes * sizeof(nest_cost);
    char *block = ag_alloc(columns + prices);
    if (!block) return harness_files_no_memory("a batch", columns + prices, why), -1;
    whole all = {.cost = (nest_cost *)block};
    float *nest = (float *)(block + prices);
    nest_tree t = {0};
    int n = -1;
    if (!tpgnn_nest(nest, data, s, why) && !nest_scan(&t, data, s, why)) {
        nest_unroll(&t);
        nest_reach(&t);
        price_all(&all, &t);
        n = t.store_count < room ? t.store_count : room;
        for (int i = 0; i < n; i++) {
            write_row(row + (size_t)i * NESTS_SCHEDULE_ROW, &t, i, nest, &all);
            cost[i] = all.cost[i].cycles > 1 ? (float)log(all.cost[i].cycles) : 0;
        }
    }
    nest_free(&t);
    ag_free(block);
    return n;
}

int nests_schedule_stores(const tpgnn_data *data, const tpgnn_schedule *s)
{
    int n = 0;
    for (int v = 0; v < s->nodes; v++) n += tpgnn_is_class(data, s, v, "BufferStore");
    return n;
}
