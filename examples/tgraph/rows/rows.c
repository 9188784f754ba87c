/* SPDX-License-Identifier: MIT */
/* The different rows of the configurations of a file. */
#include "examples/tgraph/rows/layout.h"

#include "examples/harness/harness.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { DIGITS = 3 * TPUGRAPHS_AXES };

/* ---- room ---- */

static void *grow(void *block, int room, size_t size)
{
    return harness_grow(block, ag_size_mul((size_t)room, size));
}

/* A power of two becomes the next one. */
static int twice(int room)
{
    if (room > INT32_MAX / 4) harness_no_memory((size_t)room * sizeof(float));
    return room ? 2 * room : 64;
}

static void fill_slots(nests_rows *r, int slots);

static void room_for_row(nests_rows *r)
{
    nests_layout_memory *m = r->memory;
    if (r->rows < m->row_room) return;
    const int room = m->row_room = twice(m->row_room);
    r->x = grow(r->x, room, NESTS_LAYOUT_COLUMNS * sizeof *r->x);
    r->work = grow(r->work, room, sizeof *r->work);
    r->word = grow(r->word, room, sizeof *r->word);
    r->always = grow(r->always, room, sizeof *r->always);
    m->count = grow(m->count, room, sizeof *m->count);
    fill_slots(r, 2 * room);
}

static void room_for_touch(nests_layout_memory *m)
{
    if (m->touches < m->touch_room) return;
    m->touch_room = twice(m->touch_room);
    m->touched = grow(m->touched, m->touch_room, sizeof *m->touched);
    m->of = grow(m->of, m->touch_room, sizeof *m->of);
}

static void room_for_item(nests_rows *r)
{
    nests_layout_memory *m = r->memory;
    const int entries = r->first ? r->first[r->items] + m->touches : 0;
    if (r->items + 2 > m->item_room) {
        m->item_room = twice(m->item_room);
        r->first = grow(r->first, m->item_room, sizeof *r->first);
        r->first[0] = 0;
    }
    if (entries > m->entry_room) {
        const int room = m->entry_room = twice(entries);
        r->row = grow(r->row, room, sizeof *r->row);
        r->times = grow(r->times, room, sizeof *r->times);
        m->node = grow(m->node, room, sizeof *m->node);
    }
}

/* ---- one row ---- */

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

static void fill_slots(nests_rows *r, int slots)
{
    nests_layout_memory *m = r->memory;
    m->slot = grow(m->slot, slots, sizeof *m->slot);
    memset(m->slot, 0, (size_t)slots * sizeof *m->slot);
    m->slots = slots;
    for (int i = 0; i < r->rows; i++)
        m->slot[slot_of(r, r->x + (size_t)i * NESTS_LAYOUT_COLUMNS, r->word[i])] = i + 1;
}

/* Counts a row of the present item, a new one or one that there is; o NULL: a copy. */
static void put(nests_rows *r, int node, const tpugraphs_operation *o, const nests_nest *nest,
                const double elements[1 + NESTS_INPUTS])
{
    nests_layout_memory *m = r->memory;
    const int word = o ? o->opcode : TPUGRAPHS_COPY;
    float x[NESTS_LAYOUT_COLUMNS];
    nests_layout_columns(x, o, nest, elements);
    room_for_row(r);
    room_for_touch(m);
    int32_t *slot = &m->slot[slot_of(r, x, word)];
    if (!*slot) {
        memcpy(r->x + (size_t)r->rows * NESTS_LAYOUT_COLUMNS, x, sizeof x);
        r->word[r->rows] = word;
        r->work[r->rows] = nest->work;
        r->always[r->rows] = m->count[r->rows] = 0;
        *slot = ++r->rows;
    }
    const int row = *slot - 1;
    if (m->count[row]++ == 0 || m->by_node) {
        m->of[m->touches] = node;
        m->touched[m->touches++] = row;
    }
}

/* ---- one node ---- */

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

/* ---- all ---- */

static void forget_counts(nests_rows *r)
{
    nests_layout_memory *m = r->memory;
    for (int i = 0; i < m->touches; i++) m->count[m->touched[i]] = 0;
    m->touches = m->fixed;
}

void nests_layout_open(nests_rows *r, const nests_layout *p, bool by_node)
{
    if (!r->memory) {
        r->memory = harness_alloc(sizeof(nests_layout_memory));
        room_for_row(r);
        room_for_item(r);
    }
    nests_layout_memory *m = r->memory;
    m->layout = p;
    m->by_node = by_node;
    r->rows = r->items = 0;
    m->touches = m->fixed = 0;
    memset(m->slot, 0, (size_t)m->slots * sizeof *m->slot);
    if (p->count > m->operation_room) {
        m->operation_room = p->count;
        m->order = grow(m->order, p->count, sizeof *m->order);
        m->strides = grow(m->strides, p->count, sizeof *m->strides);
    }
    if (p->configurable > m->digit_room) {
        m->digit_room = p->configurable;
        m->digit = grow(m->digit, p->configurable, DIGITS);
    }
    for (int v = 0; v < p->count; v++)
        if (!p->operation[v].varying) visit(r, v, NULL);
    for (int i = 0; i < m->touches && !by_node; i++)
        r->always[m->touched[i]] = m->count[m->touched[i]];
    if (by_node) m->fixed = m->touches;
    forget_counts(r);
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
    room_for_item(r);
    int at = r->first[r->items];
    for (int i = 0; i < m->touches; i++, at++) {
        r->row[at] = m->touched[i];
        r->times[at] = m->by_node ? 1 : m->count[m->touched[i]];
        m->node[at] = m->of[i];
    }
    r->first[++r->items] = at;
    forget_counts(r);
}

void nests_layout_drop(nests_rows *r)
{
    nests_layout_memory *m = r->memory;
    if (!m) return;
    void *const block[] = {m->order, m->slot,  m->count, m->touched, m->of,     m->strides,
                           m->digit, r->x,     r->work,  r->word,    r->always, r->first,
                           r->row,   r->times, m->node,  m};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) harness_free(block[i]);
    *r = (nests_rows){0};
}
