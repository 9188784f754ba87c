/* SPDX-License-Identifier: MIT */
/* The different rows of the configurations of a file. */
#include "examples/tgraph/rows/layout.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { DIGITS = 3 * TPUGRAPHS_AXES };

struct nests_layout_memory {
    nests_order *order; /* [operations] of the output, in the present configuration */
    int32_t *slot;      /* [slots] index of a row + 1; 0: free */
    int slots;
    float *count;       /* [rows] of the present item */
    int *touched;       /* rows whose count is not 0; by_node: the row of each entry */
    int *of;            /* [touches] node of each entry */
    int touches, fixed; /* fixed: the first of them, which every item has; by_node */
    int row_room, item_room, entry_room, operation_room, digit_room, touch_room;
};

static ag_status no_memory(ag_failure *why)
{
    return ag_fail(why, AG_EMEMORY,
                   "rows of layouts: no memory for those of another configuration; use fewer "
                   "configurations or close other programs");
}

/* ---- room ---- */

/* list: the address of a pointer to the block. */
static ag_status grow(void *list, int room, size_t size, ag_failure *why)
{
    void *block;
    memcpy(&block, list, sizeof block);
    block = ag_grow(block, ag_size_mul((size_t)room, size));
    if (!block) return no_memory(why);
    memcpy(list, &block, sizeof block);
    return AG_OK;
}

static ag_status fill_slots(nests_layout_rows *r, int slots, ag_failure *why);

static ag_status room_for_row(nests_layout_rows *r, ag_failure *why)
{
    struct nests_layout_memory *m = r->memory;
    if (r->rows < m->row_room) return AG_OK;
    const int room = m->row_room ? 2 * m->row_room : 64;
    if (room > INT32_MAX / 4) return no_memory(why);
    if (grow(&r->x, room, NESTS_LAYOUT_COLUMNS * sizeof *r->x, why) ||
        grow(&r->work, room, sizeof *r->work, why) || grow(&r->word, room, sizeof *r->word, why) ||
        grow(&r->always, room, sizeof *r->always, why) ||
        grow(&m->count, room, sizeof *m->count, why) || fill_slots(r, 2 * room, why))
        return why->status;
    m->row_room = room;
    return AG_OK;
}

static ag_status room_for_touch(struct nests_layout_memory *m, ag_failure *why)
{
    if (m->touches < m->touch_room) return AG_OK;
    const int room = 2 * m->touches + 64;
    if (room > INT32_MAX / 4) return no_memory(why);
    if (grow(&m->touched, room, sizeof *m->touched, why) || grow(&m->of, room, sizeof *m->of, why))
        return why->status;
    m->touch_room = room;
    return AG_OK;
}

static ag_status room_for_item(nests_layout_rows *r, ag_failure *why)
{
    struct nests_layout_memory *m = r->memory;
    const int entries = r->first ? r->first[r->items] + m->touches : 0;
    if (r->items + 2 > m->item_room) {
        const int room = 2 * r->items + 64;
        if (grow(&r->first, room, sizeof *r->first, why)) return why->status;
        if (!m->item_room) r->first[0] = 0;
        m->item_room = room;
    }
    if (entries > m->entry_room) {
        if (entries > INT32_MAX / 2) return no_memory(why);
        if (grow(&r->row, 2 * entries, sizeof *r->row, why) ||
            grow(&r->times, 2 * entries, sizeof *r->times, why) ||
            (r->by_node && grow(&r->node, 2 * entries, sizeof *r->node, why)))
            return why->status;
        m->entry_room = 2 * entries;
    }
    return AG_OK;
}

/* ---- one row ---- */

static int slot_of(const nests_layout_rows *r, const float *x)
{
    const struct nests_layout_memory *m = r->memory;
    const size_t bytes = NESTS_LAYOUT_COLUMNS * sizeof *x;
    int at = (int)(XXH3_64bits(x, bytes) & (uint64_t)(m->slots - 1));
    while (m->slot[at] &&
           memcmp(r->x + (size_t)(m->slot[at] - 1) * NESTS_LAYOUT_COLUMNS, x, bytes) != 0)
        at = (at + 1) & (m->slots - 1);
    return at;
}

static ag_status fill_slots(nests_layout_rows *r, int slots, ag_failure *why)
{
    struct nests_layout_memory *m = r->memory;
    if (grow(&m->slot, slots, sizeof *m->slot, why)) return why->status;
    memset(m->slot, 0, (size_t)slots * sizeof *m->slot);
    m->slots = slots;
    for (int i = 0; i < r->rows; i++)
        m->slot[slot_of(r, r->x + (size_t)i * NESTS_LAYOUT_COLUMNS)] = i + 1;
    return AG_OK;
}

/* Counts a row of the present item, a new one or one that there is. */
static ag_status put(nests_layout_rows *r, int node, const float *x, double work, ag_failure *why)
{
    struct nests_layout_memory *m = r->memory;
    if (room_for_row(r, why) || room_for_touch(m, why)) return why->status;
    int32_t *slot = &m->slot[slot_of(r, x)];
    if (!*slot) {
        memcpy(r->x + (size_t)r->rows * NESTS_LAYOUT_COLUMNS, x, NESTS_LAYOUT_COLUMNS * sizeof *x);
        r->work[r->rows] = work;
        r->always[r->rows] = m->count[r->rows] = 0;
        *slot = ++r->rows;
    }
    const int row = *slot - 1;
    if (m->count[row]++ == 0 || r->by_node) {
        m->of[m->touches] = node;
        m->touched[m->touches++] = row;
    }
    return AG_OK;
}

/* ---- one node ---- */

static double elements_of(const nests_operation *o)
{
    double n = 1;
    for (int i = 0; i < o->rank; i++) n *= o->size[i];
    return n;
}

static ag_status put_node(nests_layout_rows *r, int node, const nests_nest *nest, ag_failure *why)
{
    const nests_layout *p = r->layout;
    const nests_operation *o = &p->operation[node];
    double elements[1 + NESTS_INPUTS] = {elements_of(o)};
    float x[NESTS_LAYOUT_COLUMNS];
    for (int k = 0; k < o->operands; k++)
        elements[1 + k] = elements_of(&p->operation[o->operand[k]]);
    nests_layout_columns(x, o, nest, elements);
    return put(r, node, x, nest->work, why);
}

/* A copy of a value for a node. */
static ag_status put_copy(nests_layout_rows *r, int node, const nests_operation *value,
                          const nests_strides *to, const nests_strides *from, ag_failure *why)
{
    const double elements[1 + NESTS_INPUTS] = {elements_of(value), elements_of(value)};
    const nests_nest nest = nests_copy_nest(value->rank, value->size, to, from);
    float x[NESTS_LAYOUT_COLUMNS];
    nests_layout_columns(x, NULL, &nest, elements);
    return put(r, node, x, nest.work, why);
}

/* Axes of one element may have any stride. */
static int same_place(const nests_strides *a, const nests_strides *b, const nests_operation *o)
{
    for (int i = 0; i < o->rank; i++)
        if (o->size[i] > 1 && a->of[i] != b->of[i]) return 0;
    return 1;
}

/* Operand k of a configurable node, copied when it has another layout than the digits ask for. */
static ag_status settle_operand(nests_layout_rows *r, nests_strides *in, int node, int k,
                                const signed char *digit, ag_failure *why)
{
    const nests_operation *all = r->layout->operation;
    const nests_operation *value = &all[all[node].operand[k]];
    int given;
    const nests_order order =
        nests_asked_order(&given, digit + (size_t)TPUGRAPHS_AXES * (1 + k), value->rank);
    if (!given) return AG_OK;
    const nests_strides asked = nests_strides_of(&order, value->rank, value->size);
    if (same_place(&asked, in, value)) return AG_OK;
    if (put_copy(r, node, value, &asked, in, why)) return why->status;
    *in = asked;
    return AG_OK;
}

static ag_status put_reshape(nests_layout_rows *r, int node, const nests_strides *out,
                             nests_strides *in, ag_failure *why)
{
    const nests_layout *p = r->layout;
    const nests_operation *value = &p->operation[p->operation[node].operand[0]];
    nests_nest nest;
    int stays = nests_reshape_nest(&nest, p, node, out, in);
    if (stays < 0) {
        const nests_order plain = nests_row_major(value->rank);
        const nests_strides to = nests_strides_of(&plain, value->rank, value->size);
        if (put_copy(r, node, value, &to, in, why)) return why->status;
        stays = nests_reshape_nest(&nest, p, node, out, &to);
    }
    return stays ? AG_OK : put_node(r, node, &nest, why);
}

/* digit: of a configurable node, else NULL. */
static ag_status visit(nests_layout_rows *r, int node, const signed char *digit, ag_failure *why)
{
    const nests_layout *p = r->layout;
    const nests_operation *o = &p->operation[node];
    struct nests_layout_memory *m = r->memory;
    nests_strides in[NESTS_INPUTS] = {{{0}}};
    int given;
    m->order[node] = digit ? nests_asked_order(&given, digit, o->rank)
                           : nests_inherited_order(p, node, m->order);
    r->strides[node] = nests_strides_of(&m->order[node], o->rank, o->size);
    if (o->kind == NESTS_OP_LEAF) return AG_OK;
    for (int k = 0; k < o->operands; k++) in[k] = r->strides[o->operand[k]];
    for (int k = 0; digit && k < o->operands; k++)
        if (settle_operand(r, &in[k], node, k, digit, why)) return why->status;
    if (o->kind == NESTS_OP_RESHAPE) return put_reshape(r, node, &r->strides[node], &in[0], why);
    const nests_nest nest = nests_nest_of(p, node, &r->strides[node], in);
    return put_node(r, node, &nest, why);
}

/* ---- all ---- */

static void forget_counts(nests_layout_rows *r)
{
    struct nests_layout_memory *m = r->memory;
    for (int i = 0; i < m->touches; i++) m->count[m->touched[i]] = 0;
    m->touches = m->fixed;
}

static ag_status take_memory(nests_layout_rows *r, ag_failure *why)
{
    if (r->memory) return AG_OK;
    r->memory = ag_alloc(sizeof *r->memory);
    if (!r->memory) return no_memory(why);
    memset(r->memory, 0, sizeof *r->memory);
    return room_for_row(r, why) ? why->status : room_for_item(r, why);
}

ag_status nests_layout_rows_open(nests_layout_rows *r, const nests_layout *p, ag_failure *why)
{
    if (take_memory(r, why)) return why->status;
    struct nests_layout_memory *m = r->memory;
    r->layout = p;
    r->rows = r->items = 0;
    m->touches = m->fixed = 0;
    memset(m->slot, 0, (size_t)m->slots * sizeof *m->slot);
    if (p->count > m->operation_room) {
        if (grow(&m->order, p->count, sizeof *m->order, why) ||
            grow(&r->strides, p->count, sizeof *r->strides, why))
            return why->status;
        m->operation_room = p->count;
    }
    if (p->configurable > m->digit_room) {
        if (grow(&r->digit, p->configurable, DIGITS, why)) return why->status;
        m->digit_room = p->configurable;
    }
    for (int v = 0; v < p->count; v++)
        if (!p->operation[v].varying && visit(r, v, NULL, why)) return why->status;
    for (int i = 0; i < m->touches && !r->by_node; i++)
        r->always[m->touched[i]] = m->count[m->touched[i]];
    if (r->by_node) m->fixed = m->touches;
    forget_counts(r);
    return AG_OK;
}

ag_status nests_layout_rows_add(nests_layout_rows *r, const signed char *digit, ag_failure *why)
{
    const nests_layout *p = r->layout;
    struct nests_layout_memory *m = r->memory;
    for (int v = 0; v < p->count && !why->status; v++) {
        const int config = p->operation[v].config;
        if (p->operation[v].varying)
            visit(r, v, config < 0 ? NULL : digit + (size_t)config * DIGITS, why);
    }
    if (!why->status && !room_for_item(r, why)) {
        int at = r->first[r->items];
        for (int i = 0; i < m->touches; i++, at++) {
            r->row[at] = m->touched[i];
            r->times[at] = r->by_node ? 1 : m->count[m->touched[i]];
            if (r->by_node) r->node[at] = m->of[i];
        }
        r->first[++r->items] = at;
    }
    forget_counts(r);
    return why->status;
}

void nests_layout_rows_close(nests_layout_rows *r)
{
    struct nests_layout_memory *m = r->memory;
    if (m) {
        ag_free(m->order);
        ag_free(m->slot);
        ag_free(m->count);
        ag_free(m->touched);
        ag_free(m->of);
        ag_free(m);
    }
    void *const block[] = {r->strides, r->digit, r->x,   r->work,  r->word,
                           r->always,  r->first, r->row, r->times, r->node};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) ag_free(block[i]);
    *r = (nests_layout_rows){0};
}
