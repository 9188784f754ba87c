/* SPDX-License-Identifier: MIT */
/* The operations of a layout file. */
#include "examples/tgraph/rows/layout.h"

#include "examples/harness/harness.h"

#include <string.h>

/* ---- kinds ---- */

static tpugraphs_shape shape_of(const nests_operation *o)
{
    tpugraphs_shape s = {.rank = o->rank};
    memcpy(s.size, o->size, sizeof s.size);
    return s;
}

static int broadcast_fits(const nests_operation *o, const nests_operation *x)
{
    if (!tpugraphs_are_axes(o->dims, x->rank, o->rank)) return 0;
    for (int i = 0; i < x->rank; i++)
        if (x->size[i] != o->size[o->dims[i]]) return 0;
    return 1;
}

static int transpose_fits(const nests_operation *o, const nests_operation *x)
{
    return x->rank == o->rank && tpugraphs_are_axes(o->dims, o->rank, o->rank);
}

static int reduce_fits(const nests_operation *o, const nests_operation *x)
{
    return x->rank > o->rank && tpugraphs_are_axes(o->dims, x->rank - o->rank, x->rank);
}

static int convolution_fits(const nests_operation *o, const nests_operation *x,
                            const nests_operation *kernel)
{
    const tpugraphs_shape out = shape_of(o), in = shape_of(x), w = shape_of(kernel);
    return o->known && tpugraphs_conv_fits(&o->conv, &out, &in, &w);
}

static int dot_fits(nests_operation *o, const nests_operation *a, const nests_operation *b)
{
    const tpugraphs_shape out = shape_of(o), left = shape_of(a), right = shape_of(b);
    return (o->known && tpugraphs_dot_fits(&o->dot, &out, &left, &right)) ||
           tpugraphs_dot_readings(&o->dot, 1, &out, &left, &right);
}

static nests_operation_kind kind_of(nests_operation *o, const nests_operation *first,
                                    const nests_operation *second)
{
    switch (o->opcode) {
    case TPUGRAPHS_BROADCAST: return broadcast_fits(o, first) ? NESTS_OP_BROADCAST : NESTS_OP_MAP;
    case TPUGRAPHS_TRANSPOSE: return transpose_fits(o, first) ? NESTS_OP_TRANSPOSE : NESTS_OP_MAP;
    case TPUGRAPHS_REDUCE: return reduce_fits(o, first) ? NESTS_OP_REDUCE : NESTS_OP_MAP;
    case TPUGRAPHS_RESHAPE: return NESTS_OP_RESHAPE;
    case TPUGRAPHS_REDUCE_WINDOW: return first->rank == o->rank ? NESTS_OP_WINDOW : NESTS_OP_MAP;
    case TPUGRAPHS_DOT: return dot_fits(o, first, second) ? NESTS_OP_DOT : NESTS_OP_MAP;
    case TPUGRAPHS_CONVOLUTION:
        return convolution_fits(o, first, second) ? NESTS_OP_CONVOLUTION : NESTS_OP_MAP;
    default: return NESTS_OP_MAP;
    }
}

static void swap(int *a, int *b)
{
    const int c = *a;
    *a = *b;
    *b = c;
}

/* Settles the kind of a node whose operands have theirs. ordered: they are in their order, each as
   often as it is used; else tries both orders, and takes one that is used twice for both. */
static void settle(nests_layout *p, int node, int ordered)
{
    nests_operation *o = &p->operation[node];
    const int product = o->opcode == TPUGRAPHS_DOT || o->opcode == TPUGRAPHS_CONVOLUTION;
    o->varying = o->config >= 0;
    if (!o->operands || o->opcode == TPUGRAPHS_IOTA || o->opcode == TPUGRAPHS_PARAMETER ||
        o->opcode == TPUGRAPHS_CONSTANT) {
        o->operands = 0;
        o->kind = NESTS_OP_LEAF;
        return;
    }
    /* The bounds of a clamp are mostly scalars, so its layout is that of the clamped operand. */
    if (ordered && o->opcode == TPUGRAPHS_CLAMP && o->operands == 2)
        swap(&o->operand[0], &o->operand[1]);
    if (product && o->operands == 1) o->operand[o->operands++] = o->operand[0];
    for (int turn = 0; turn < o->operands; turn++) {
        const nests_operation *a = &p->operation[o->operand[0]];
        o->kind = kind_of(o, a, &p->operation[o->operand[o->operands - 1]]);
        if (o->kind != NESTS_OP_MAP || ordered) break;
        if (o->operands == 2 && (product || a->rank != o->rank))
            swap(&o->operand[0], &o->operand[1]);
    }
    if (!product && o->kind != NESTS_OP_MAP) o->operands = 1; /* the others are scalars */
    for (int k = 0; k < o->operands; k++) o->varying |= p->operation[o->operand[k]].varying;
}

/* ---- operands ---- */

/* Constants, parameters and what is spread out of them are rarely the first operand. */
static int leads(const nests_operation *o)
{
    return o->opcode != TPUGRAPHS_PARAMETER && o->opcode != TPUGRAPHS_CONSTANT &&
           o->opcode != TPUGRAPHS_BROADCAST;
}

/* Scalars and a third operand are left out. */
static void add_operand(nests_layout *p, int node, int operand, int ordered)
{
    nests_operation *o = &p->operation[node];
    const int lead = !ordered && leads(&p->operation[operand]);
    if (p->operation[operand].rank == 0) return;
    if (o->operands && lead && !leads(&p->operation[o->operand[0]])) {
        o->operand[1] = o->operand[0];
        o->operand[0] = operand;
    } else if (o->operands < NESTS_INPUTS || (lead && !leads(&p->operation[o->operand[1]])))
        o->operand[o->operands ? 1 : 0] = operand;
    else
        return;
    if (o->operands < NESTS_INPUTS) o->operands++;
}

static ag_status read_operands(nests_layout *p, const tpugraphs_raw *raw, ag_failure *why)
{
    const int ordered = p->ordered = tpugraphs_has(raw, "operand_index", why);
    int count = raw->edges;
    if (why->status) return why->status;
    int32_t *pair = ordered ? tpugraphs_raw_pairs(&count, raw, "operand_index", why) : raw->edge;
    if (!pair) return why->status;
    for (int e = 0; e < count; e++)
        if (pair[2 * e + 1] < pair[2 * e]) add_operand(p, pair[2 * e], pair[2 * e + 1], ordered);
    if (ordered) ag_free(pair);
    for (int v = 0; v < raw->nodes; v++) settle(p, v, ordered);
    return AG_OK;
}

static ag_status read_dots(nests_layout *p, const tpugraphs_raw *raw, ag_failure *why)
{
    int count;
    tpugraphs_dot *dot = tpugraphs_dots_read(&count, raw, why);
    for (int i = 0; i < count; i++) {
        nests_operation *o = &p->operation[dot[i].node];
        o->dot = (tpugraphs_dot_axes){dot[i].batch, dot[i].left_axis, dot[i].right_axis};
        o->known = 1;
    }
    ag_free(dot);
    return why->status;
}

static nests_operation read_node(int opcode, const float *feature)
{
    const tpugraphs_shape shape = tpugraphs_shape_of(feature);
    nests_operation o = {.opcode = opcode, .rank = shape.rank, .config = -1};
    memcpy(o.size, shape.size, sizeof o.size);
    for (int i = 0; i < TPUGRAPHS_AXES; i++)
        o.dims[i] = tpugraphs_whole(feature[TPUGRAPHS_DIMS + i]);
    tpugraphs_windows_read(o.window, feature);
    o.known = tpugraphs_conv_read(&o.conv, feature, o.rank) && opcode == TPUGRAPHS_CONVOLUTION;
    return o;
}

static ag_status read_nodes(nests_layout *p, const tpugraphs_raw *raw, ag_failure *why)
{
    enum { STEP = 256 };
    ag_rows *rows = ag_rows_open(raw->npz, "node_feat", why);
    if (!rows) return why->status;
    float *feature = harness_alloc(STEP * TPUGRAPHS_FEATURES * sizeof *feature);
    for (int first = 0; first < raw->nodes && !why->status; first += STEP) {
        const int n = raw->nodes - first < STEP ? raw->nodes - first : STEP;
        if (ag_rows_next(rows, n, AG_F32, feature, why)) break;
        for (int i = 0; i < n; i++)
            p->operation[first + i] =
                read_node(raw->opcode[first + i], feature + (size_t)i * TPUGRAPHS_FEATURES);
    }
    harness_free(feature);
    ag_rows_close(rows);
    return why->status;
}

ag_status nests_layout_read(nests_layout *p, const tpugraphs_raw *raw, tpugraphs_budget *budget,
                            size_t *bytes, ag_failure *why)
{
    const size_t count = (size_t)raw->nodes;
    *p = (nests_layout){.count = raw->nodes, .configurable = raw->configurable};
    p->operation = tpugraphs_take(budget, bytes, count, sizeof *p->operation, raw->name, why);
    if (!p->operation || read_nodes(p, raw, why)) return why->status;
    for (int i = 0; i < raw->configurable; i++) p->operation[raw->config_node[i]].config = i;
    return read_dots(p, raw, why) ? why->status : read_operands(p, raw, why);
}

void nests_layout_free(nests_layout *p) { ag_free(p->operation); }
