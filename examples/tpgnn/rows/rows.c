/* SPDX-License-Identifier: MIT */
/* Makes the rows of a schedule, one of each statement that stores. */
#include "examples/tpgnn/rows/rows.h"

#include "examples/harness/base/bag.h"
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

/* Its loads, those that touch most first; without the one of what it updates. */
static void find_loads(nests_statement *s)
{
    for (int i = 1; i <= s->of.store->loads; i++) {
        const nest_access *a = s->of.a + i;
        if (a->buffer == s->of.a->buffer && a->buffer >= 0) continue;
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
static void write_part(nests_writer *w, const nests_statement *s, double cycles)
{
    const nest_tree *t = s->of.t;
    const nest_cost *c = s->cost;
    int beside = 0;
    for (int i = 0; i < t->store_count; i++)
        beside += t->access[t->stores[i].access].loop == s->of.a->loop;
    nests_put(w, 255 * c->cycles / cycles);
    nests_put(w, cycles);
    nests_put(w, t->store_count);
    nests_put(w, s->number);
    nests_put(w, beside);
    nests_put(w, t->lines);
    nests_put(w, s->of.store->loads);
    nests_put(w, s->of.store->divides);
    nests_put(w, s->of.store->calls);
    nests_put(w, s->of.a->element);
    nests_put(w, c->lanes);
    /* In 64ths, so that small ones differ. */
    nests_put(w, 64 * c->cycles / c->trips);
    nests_put(w, 64 * c->issue / c->trips);
    nests_put(w, 64 * c->chain / c->trips);
    nests_put(w, 64 * c->overhead / c->trips);
    for (int i = 0; i < 3; i++) nests_put(w, 64 * c->miss[i] / c->trips);
}

/* The store that last wrote the buffer, before this statement or in the round before; -1: none. */
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
    const nest_tree *t = s->of.t;
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
    nests_put(w, l ? s->of.a->stride[level] : -1);
    nests_write_strides(w, s, l ? level : -1);
    return level + 1;
}

double nests_lines_touched(const nests_statement *s, int level)
{
    double lines = 0;
    for (int i = 0; i <= s->of.store->loads; i++) {
        int seen = 0;
        for (int j = 0; j < i; j++) seen |= s->of.a[j].buffer == s->of.a[i].buffer;
        if (!seen) lines = nest_cap(lines + s->of.a[i].lines[level]);
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
        nests_put(w, s->of.a->stride[level]);
        nests_write_strides(w, s, level);
    }
    w->columns += LEVEL * (LEVELS - shown);
}

/* cycles: of all statements together. */
static void write_row(float *row, const nest_tree *t, int number, const float *nest, double cycles)
{
    nests_statement s = {
        .of = nest_take(t, &t->stores[number]), .number = number, .cost = &t->cost[number]};
    nests_writer w = {row, TPGNN_NEST};
    memset(row, 0, NESTS_SCHEDULE_ROW * sizeof *row);
    memcpy(row, nest + (size_t)s.of.a->node * TPGNN_NEST, TPGNN_NEST * sizeof *row);
    find_loads(&s);
    write_part(&w, &s, cycles);
    write_access(&w, &s, s.of.a);
    for (int i = 0; i < s.loads; i++) write_access(&w, &s, s.load[i]);
    w.columns += ACCESS * (NESTS_ROW_LOADS - s.loads);
    write_levels(&w, &s);
    nests_write_block(&w, &s);
    nests_write_kernel(&w, &s);
    nests_write_reuse(&w, &s);
}

/* Models were trained with logarithms that are rounded so. */
static double work_of(const nest_cost *c)
{
    return c->cycles > 1 ? exp((double)(float)log(c->cycles)) : 1;
}

void nests_schedule_rows_add(nests_rows *rows, const tpgnn_data *data, const tpgnn_schedule *s)
{
    nest_tree t = {0};
    double cycles = 0;
    if (!rows->items) nests_rows_clear(rows);
    nest_analyse(&t, data, s);
    float *nest = HARNESS_TAKE(&t.memory, nest, (size_t)s->nodes * TPGNN_NEST);
    nest_write(nest, &t);
    for (int i = 0; i < t.store_count; i++) cycles = nest_cap(cycles + t.cost[i].cycles);
    for (int i = 0; i < t.store_count; i++) {
        float *row = stbds_arraddnptr(rows->x, NESTS_SCHEDULE_ROW);
        write_row(row, &t, i, nest, cycles < 1 ? 1 : cycles);
        bag_add(rows->work, work_of(&t.cost[i]));
        bag_add(rows->row, rows->rows++);
    }
    bag_add(rows->first, rows->rows);
    rows->items++;
    nest_free(&t);
}

int nests_schedule_stores(const tpgnn_data *data, const tpgnn_schedule *s)
{
    int n = 0;
    for (int v = 0; v < s->nodes; v++) n += tpgnn_is_class(data, s, v, "BufferStore");
    return n;
}
