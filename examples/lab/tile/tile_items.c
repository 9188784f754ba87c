/* SPDX-License-Identifier: MIT */
/* The items of a kernel: values that a tile computes, and views of them with other strides. A node
   that is needed both before and after the reduction becomes two items, since different parts of it
   are needed. */
#include "examples/lab/tile/tile_plan.h"

#include <math.h>
#include <string.h>

int tile_is_computed(const tile_item *item) { return item->role >= TILE_MAP; }

int tile_is_outside(const tile_items *t, int item)
{
    return t->item[item].role == TILE_EXTERNAL || item == t->root;
}

int tile_is_reduction(const lab_node *node) { return nest_node_kind(node) != NEST_MAP; }

static const lab_node still = {.op = LAB_COPY}; /* its input's axes are its own */

/* Appends an item with one input (below 0: with none), and sees the input's axes as they are. */
static tile_item *add_item(tile_items *t, tile_role role, int input, int rank, const int *size)
{
    tile_item *item = &t->item[t->n++];
    *item = (tile_item){.role = role, .n_inputs = input >= 0, .input = {input}, .rank = rank};
    if (rank) memcpy(item->size, size, (size_t)rank * sizeof *size);
    lab_moved_axes(item->moved, &still);
    return item;
}

/* Adds memory outside of the tile. A constant is there once. */
static tile_item *add_external(tile_items *t, tile_memory memory, int rank, const int *size)
{
    tile_item *item = add_item(t, TILE_EXTERNAL, -1, rank, size);
    item->memory = memory;
    if (memory != TILE_CONSTANT) lab_strides(item->stride, size, rank);
    return item;
}

/* A view of an input is copied to scratch. */
static int computed(tile_items *t, int input)
{
    const tile_item *from = &t->item[input];
    if (tile_is_computed(from)) return input;
    add_item(t, TILE_MAP, input, from->rank, from->size);
    return t->n - 1;
}

/* ---- the inputs of the one op that reduces ---- */

/* Windows that leave the input, or that see it dilated, read a padded copy of the part that they
   need. */
static int add_padded(tile_items *t, const lab_node *node, int input)
{
    const int rank = t->item[input].rank;
    tile_item pad = {.role = TILE_PAD, .rank = rank, .n_inputs = 2, .input = {input}};
    int inside = 1;
    memcpy(pad.size, t->item[input].size, sizeof pad.size);
    lab_moved_axes(pad.moved, &still);
    for (int i = 0; i < t->space.n; i++) {
        const tpugraphs_index *x = &t->space.index[i];
        if (!x->window || x->sum) continue;
        const lab_window *w = &node->window[x->window - 1];
        const int a = x->in[0], n = node->shape.size[x->axis];
        inside &= !tpugraphs_leaves(w, n, pad.size[a]);
        pad.size[a] = (int)tpugraphs_covered(w, n, w->size);
        pad.moved[a] = (lab_moved){a, w->low, w->base_dilation};
    }
    if (inside) return input;
    add_external(t, TILE_CONSTANT, 0, NULL)->value = node->reducer == LAB_MAX ? -INFINITY : 0.0f;
    pad.input[1] = t->n - 1;
    *add_item(t, TILE_PAD, input, rank, pad.size) = pad;
    return t->n - 1;
}

static int add_reversed(tile_items *t, const lab_node *node, int input)
{
    const tile_item *from = &t->item[input];
    tile_item *item = NULL;
    for (int i = 0; i < node->conv.spatial; i++) {
        const int axis = node->conv.kernel_spatial[i];
        if (!node->window[i].reversed) continue;
        if (!item) item = add_item(t, TILE_VIEW, input, from->rank, from->size);
        item->moved[axis] = (lab_moved){axis, item->size[axis] - 1, -1};
    }
    return item ? t->n - 1 : input;
}

/* The counters 0, 1, 2... along one axis. */
static int add_iota(tile_items *t, const lab_node *node)
{
    const int axis = node->dims[0];
    add_external(t, TILE_COUNT, 1, &node->shape.size[axis]);
    add_item(t, TILE_VIEW, t->n - 1, node->shape.rank, node->shape.size)->moved[0].axis = axis;
    return t->n - 1;
}

/* A reshape of memory outside is a view of it with other axes; a reshape of a view that has no
   plain strides needs a copy. -1: it neither splits nor merges axes. */
static int add_reshape(tile_items *t, const lab_node *node, int input)
{
    const int rank = node->shape.rank, *size = node->shape.size;
    const tile_item from = t->item[input];
    if (from.role == TILE_EXTERNAL) {
        tile_item *item = add_external(t, from.memory, rank, size);
        item->number = from.number;
        item->value = from.value;
        return t->n - 1;
    }
    tile_item groups = {.rank = rank};
    memcpy(groups.size, size, sizeof groups.size);
    if (!tile_reshape_groups(&groups, from.size, from.rank)) return -1;
    for (int i = 0; i < groups.n_groups; i++) /* a copy is not copied again */
        if (groups.group[i].n_in > 1) input = computed(t, input);
    tile_item *item = add_item(t, TILE_RESHAPE, input, rank, size);
    item->n_groups = groups.n_groups;
    memcpy(item->group, groups.group, sizeof item->group);
    return t->n - 1;
}

static tile_role role_of(const lab_node *node)
{
    switch (node->op) {
    case LAB_BROADCAST:
    case LAB_TRANSPOSE:
    case LAB_SLICE:
    case LAB_REVERSE: return TILE_VIEW;
    case LAB_PAD: return TILE_PAD;
    case LAB_CONCATENATE: return TILE_CONCATENATE;
    case LAB_GATHER: return TILE_GATHER;
    default: return tile_is_reduction(node) ? TILE_REDUCTION : TILE_MAP;
    }
}

/* The item of a node whose operands have items; -1: it cannot be made. */
static int add_node(tile_items *t, int at[2][TILE_NODES], const lab_node *node, int before,
                    unsigned copies)
{
    const tile_role role = role_of(node);
    int input[LAB_OPERANDS];
    if (node->op == LAB_IOTA) return add_iota(t, node);
    for (int k = 0; k < node->n_operands; k++) {
        input[k] = at[before || role == TILE_REDUCTION][node->operand[k]];
        if (role != TILE_REDUCTION) continue;
        input[k] = node->op == LAB_CONVOLUTION && k ? add_reversed(t, node, input[k])
                                                    : add_padded(t, node, input[k]);
        if (copies >> k & 1) input[k] = computed(t, input[k]);
    }
    if (node->op == LAB_RESHAPE) return add_reshape(t, node, input[0]);
    if (role == TILE_GATHER && t->item[input[0]].role != TILE_EXTERNAL) return -1;
    tile_item *item = add_item(t, role, -1, node->shape.rank, node->shape.size);
    item->node = node;
    item->n_inputs = node->n_operands;
    memcpy(item->input, input, sizeof input);
    lab_moved_axes(item->moved, node);
    for (int a = 0; role == TILE_PAD && a < item->rank; a++)
        item->moved[a].first = node->window[a].low;
    return t->n - 1;
}

/* Adds parameters and constants, for both sides. */
static void add_outside(tile_items *t, int at[2][TILE_NODES])
{
    for (int i = 0; i < t->kernel->n; i++) {
        const lab_node *node = &t->kernel->nodes[i];
        if (node->op != LAB_PARAMETER && node->op != LAB_CONSTANT) continue;
        tile_item *item = add_external(t, node->op == LAB_CONSTANT ? TILE_CONSTANT : TILE_PARAMETER,
                                       node->shape.rank, node->shape.size);
        item->number = i;
        item->value = node->value;
        at[0][i] = at[1][i] = t->n - 1;
    }
}

/* needed[0] of the nodes that the root reads without passing the reduction, needed[1] of those that
   the reduction reads. Returns the reduction's node, -1: none, -2: several. */
static int find_needed(char needed[2][TILE_NODES], const lab_program *kernel)
{
    int reduction = -1;
    memset(needed, 0, 2 * TILE_NODES);
    needed[0][kernel->n - 1] = 1;
    for (int i = kernel->n - 1; i >= 0; i--) {
        const lab_node *node = &kernel->nodes[i];
        const int reduces = tile_is_reduction(node);
        if (reduces && (needed[1][i] || (needed[0][i] && reduction >= 0))) return -2;
        if (reduces && needed[0][i]) reduction = i;
        for (int side = 0; side < 2; side++)
            for (int k = 0; needed[side][i] && k < node->n_operands; k++)
                needed[reduces ? 1 : side][node->operand[k]] = 1;
    }
    return reduction;
}

static int add_side(tile_items *t, int at[2][TILE_NODES], const char *needed, int before)
{
    for (int i = 0; i < t->kernel->n; i++) {
        const lab_node *node = &t->kernel->nodes[i];
        if (!needed[i] || node->op == LAB_PARAMETER || node->op == LAB_CONSTANT) continue;
        if (!before && tile_is_reduction(node)) continue; /* it was added already */
        if ((at[before][i] = add_node(t, at, node, before, 0)) < 0) return 0;
    }
    return 1;
}

int tile_items_build(tile_items *t, const lab_program *kernel, unsigned copies)
{
    char needed[2][TILE_NODES];
    int at[2][TILE_NODES]; /* the items of nodes: [0] after the reduction, [1] before it */
    t->kernel = kernel;
    t->n = t->n_blocked = 0;
    t->root = t->reduction = -1;
    if (kernel->n > TILE_NODES) return 0;
    const int reduction = find_needed(needed, kernel);
    if (reduction < -1) return 0;
    add_outside(t, at);
    if (!add_side(t, at, needed[1], 1)) return 0;
    if (reduction >= 0) {
        t->space = lab_space(kernel, reduction);
        t->reduction = add_node(t, at, &kernel->nodes[reduction], 0, copies);
        at[0][reduction] = t->reduction;
        t->n_blocked = lab_sum_axes(t->blocked, kernel, reduction);
    }
    if (!add_side(t, at, needed[0], 0)) return 0;
    t->root = computed(t, at[0][kernel->n - 1]);
    lab_strides(t->item[t->root].stride, t->item[t->root].size, t->item[t->root].rank);
    return t->root == t->n - 1;
}
