/* SPDX-License-Identifier: MIT */
/* The different rows of the configurations of a file. */
#include "examples/tgraph/rows/layout.h"

#include "examples/harness/base/bag.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { DIGITS = 3 * TPUGRAPHS_AXES };

static bool is_row(const nests_rows *r, int row, const float *x, int word)
{
    const float *known = r->x + (size_t)row * NESTS_LAYOUT_COLUMNS;
    return r->word[row] == word && !memcmp(known, x, NESTS_LAYOUT_COLUMNS * sizeof *x);
}

static int slot_of(const nests_rows *r, const float *x, int word)
{
    const nests_layout_memory *m = r->memory;
    const uint64_t hash = XXH3_64bits_withSeed(x, NESTS_LAYOUT_COLUMNS * sizeof *x, (uint64_t)word);
    int at = (int)(hash & (uint64_t)(m->slots - 1));
    while (m->slot[at] && !is_row(r, m->slot[at] - 1, x, word)) at = (at + 1) & (m->slots - 1);
    return at;
}

/* At most half of them are taken. */
static void double_slots(nests_rows *r)
{
    nests_layout_memory *m = r->memory;
    harness_free(m->slot);
    m->slots = m->slots ? 2 * m->slots : 128;
    m->slot = HARNESS_NEW(m->slot, m->slots);
    for (int i = 0; i < r->rows; i++)
        m->slot[slot_of(r, r->x + (size_t)i * NESTS_LAYOUT_COLUMNS, r->word[i])] = i + 1;
}

/* Adds a nest to the present item. Its row is a new one, or one that there is; o NULL: a copy. */
static void put(nests_rows *r, int node, const tpugraphs_operation *o, const nests_nest *nest,
                const double elements[1 + NESTS_INPUTS])
{
    nests_layout_memory *m = r->memory;
    const int word = o ? o->opcode : TPUGRAPHS_COPY;
    float x[NESTS_LAYOUT_COLUMNS];
    nests_layout_columns(x, o, nest, elements);
    if (2 * r->rows >= m->slots) double_slots(r);
    int32_t *slot = &m->slot[slot_of(r, x, word)];
    if (!*slot) {
        memcpy(stbds_arraddnptr(r->x, NESTS_LAYOUT_COLUMNS), x, sizeof x);
        bag_add(r->word, word);
        bag_add(r->work, nest->work);
        bag_add(r->always, 0);
        bag_add(m->entry, -1);
        *slot = ++r->rows;
    }
    bag_add(m->put, ((nests_put){.row = *slot - 1, .node = node}));
}

static double elements_of(const tpugraphs_operation *o)
{
    double n = 1;
    for (int i = 0; i < o->rank; i++) n *= o->size[i];
    return n;
}

static const tpugraphs_operation *operations_of(const nests_rows *r)
{
    return ((const nests_layout_memory *)r->memory)->layout->operation;
}

static void put_node(nests_rows *r, int node, const nests_nest *nest)
{
    const tpugraphs_operation *all = operations_of(r), *o = &all[node];
    double elements[1 + NESTS_INPUTS] = {elements_of(o)};
    for (int k = 0; k < o->operands; k++) elements[1 + k] = elements_of(&all[o->operand[k]]);
    put(r, node, o, nest, elements);
}

/* A copy of a value for a node. */
static void put_copy(nests_rows *r, int node, const tpugraphs_operation *value,
                     const nests_strides *to, const nests_strides *from)
{
    const double elements[1 + NESTS_INPUTS] = {elements_of(value), elements_of(value)};
    const nests_nest nest = nests_copy_nest(value->rank, value->size, to, from);
    put(r, node, NULL, &nest, elements);
}

/* Axes of one element may have any stride. */
static int same_place(const nests_strides *a, const nests_strides *b, const tpugraphs_operation *o)
{
    for (int i = 0; i < o->rank; i++)
        if (o->size[i] > 1 && a->of[i] != b->of[i]) return 0;
    return 1;
}

/* Operand k of a configurable node, copied when it has another layout than the digits ask for. */
static void settle_operand(nests_rows *r, nests_strides *in, int node, int k,
                           const signed char *digit)
{
    const tpugraphs_operation *all = operations_of(r), *value = &all[all[node].operand[k]];
    int given;
    const nests_order order =
        nests_asked_order(&given, digit + (size_t)TPUGRAPHS_AXES * (1 + k), value->rank);
    if (!given) return;
    const nests_strides asked = nests_strides_of(&order, value->rank, value->size);
    if (same_place(&asked, in, value)) return;
    put_copy(r, node, value, &asked, in);
    *in = asked;
}

static void put_reshape(nests_rows *r, int node, const nests_strides *out, nests_strides *in)
{
    const nests_layout *p = ((const nests_layout_memory *)r->memory)->layout;
    const tpugraphs_operation *value = &p->operation[p->operation[node].operand[0]];
    nests_nest nest;
    int stays = nests_reshape_nest(&nest, p, node, out, in);
    if (stays < 0) {
        const nests_order plain = nests_row_major(value->rank);
        const nests_strides to = nests_strides_of(&plain, value->rank, value->size);
        put_copy(r, node, value, &to, in);
        stays = nests_reshape_nest(&nest, p, node, out, &to);
    }
    if (!stays) put_node(r, node, &nest);
}

/* digit: of a configurable node, else NULL. */
static void visit(nests_rows *r, int node, const signed char *digit)
{
    nests_layout_memory *m = r->memory;
    const nests_layout *p = m->layout;
    const tpugraphs_operation *o = &p->operation[node];
    nests_strides in[NESTS_INPUTS] = {{{0}}};
    int given;
    m->order[node] = digit ? nests_asked_order(&given, digit, o->rank)
                           : nests_inherited_order(p, node, m->order);
    m->strides[node] = nests_strides_of(&m->order[node], o->rank, o->size);
    if (o->kind == TPUGRAPHS_LEAF) return;
    for (int k = 0; k < o->operands; k++) in[k] = m->strides[o->operand[k]];
    for (int k = 0; digit && k < o->operands; k++) settle_operand(r, &in[k], node, k, digit);
    if (o->kind == TPUGRAPHS_RESHAPE) {
        put_reshape(r, node, &m->strides[node], &in[0]);
        return;
    }
    const nests_nest nest = nests_nest_of(p, node, &m->strides[node], in);
    put_node(r, node, &nest);
}

static void drop(void *memory)
{
    nests_layout_memory *m = memory;
    bag_free(m->entry);
    bag_free(m->put);
    bag_free(m->strides);
    bag_free(m->order);
    bag_free(m->digit);
    harness_free(m->slot);
    harness_free(m);
}

void nests_layout_open(nests_rows *r, const nests_layout *p, bool by_node)
{
    if (!r->memory) r->memory = harness_alloc(sizeof(nests_layout_memory));
    r->drop = drop;
    nests_layout_memory *m = r->memory;
    m->layout = p;
    m->by_node = by_node;
    nests_rows_clear(r);
    bag_resize(m->entry, 0);
    bag_resize(m->put, 0);
    bag_resize(m->strides, p->count);
    bag_resize(m->order, p->count);
    bag_resize(m->digit, p->configurable * DIGITS);
    if (m->slot) memset(m->slot, 0, (size_t)m->slots * sizeof *m->slot);
    for (int v = 0; v < p->count; v++)
        if (!p->operation[v].varying) visit(r, v, NULL);
    m->fixed = bag_count(m->put);
    for (int i = 0; i < m->fixed && !by_node; i++) r->always[m->put[i].row]++;
}

/* By node, each nest is an entry; else those of one row are. */
static void add_entry(nests_rows *r, nests_put of)
{
    nests_layout_memory *m = r->memory;
    int *entry = &m->entry[of.row];
    if (*entry >= r->first[r->items] && !m->by_node) {
        r->times[*entry]++;
        return;
    }
    *entry = bag_count(r->row);
    if (*entry > INT32_MAX / 4) harness_no_memory((size_t)*entry * sizeof *r->row);
    bag_add(r->row, of.row);
    bag_add(r->times, 1);
    bag_add(r->node, of.node);
}

void nests_layout_add(nests_rows *r, const signed char *digit)
{
    nests_layout_memory *m = r->memory;
    const nests_layout *p = m->layout;
    for (int v = 0; v < p->count; v++) {
        const int config = p->operation[v].config;
        if (p->operation[v].varying)
            visit(r, v, config < 0 ? NULL : digit + (size_t)config * DIGITS);
    }
    for (int i = m->by_node ? 0 : m->fixed; i < bag_count(m->put); i++) add_entry(r, m->put[i]);
    bag_add(r->first, bag_count(r->row));
    r->items++;
    bag_resize(m->put, m->fixed);
}
