/* SPDX-License-Identifier: MIT */
/* The operations of a layout file. */
#include "examples/tgraph/physical/physical.h"

#include <string.h>

/* Op codes of TpuGraphs (hlo_opcode.h). */
enum {
    BROADCAST = 13,
    CLAMP = 17,
    CONSTANT = 24,
    CONVOLUTION = 26,
    DOT = 34,
    IOTA = 48,
    PARAMETER = 63,
    REDUCE = 70,
    REDUCE_WINDOW = 72,
    RESHAPE = 75,
    TRANSPOSE = 98
};

/* First columns of node_feat (featurizers.h). */
enum {
    SIZES = 21,
    DIMS = 31,
    WINDOW_SIZE = 37,
    WINDOW_STEP = 45,
    WINDOW_LOW = 53,
    WINDOW_HIGH = 61,
    WINDOW_DILATION = 69,
    BASE_DILATION = 77,
    INPUT_AXES = 93,
    KERNEL_AXES = 99,
    OUTPUT_AXES = 105,
    GROUPS = 107
};

/* ---- features ---- */

static int whole(float value)
{
    return value >= 1e9F ? 1000000000 : value > -1e9F ? (int)value : -1000000000;
}

static int rank_of(const float *size)
{
    int rank = 0;
    while (rank < TGRAPH_AXES && size[rank] >= 1) rank++;
    return rank;
}

static int at_least_one(float value)
{
    const int n = whole(value);
    return n < 1 ? 1 : n;
}

static void read_window(tgraph_operation *o, const float *feature, int i)
{
    o->window[i] = at_least_one(feature[WINDOW_SIZE + i]);
    o->step[i] = at_least_one(feature[WINDOW_STEP + i]);
    o->low[i] = whole(feature[WINDOW_LOW + i]);
    o->tap[i] = at_least_one(feature[WINDOW_DILATION + i]);
    o->gap[i] = at_least_one(feature[BASE_DILATION + i]);
    o->padded += feature[WINDOW_LOW + i] > 0 || feature[WINDOW_HIGH + i] > 0;
}

static void read_features(tgraph_operation *o, const float *feature)
{
    o->rank = rank_of(feature + SIZES);
    o->groups = at_least_one(feature[GROUPS]);
    for (int i = 0; i < TGRAPH_AXES; i++) {
        o->size[i] = i < o->rank ? whole(feature[SIZES + i]) : 1;
        o->dims[i] = whole(feature[DIMS + i]);
        read_window(o, feature, i);
        o->in_axis[i] = whole(feature[INPUT_AXES + i]);
        o->kernel_axis[i] = whole(feature[KERNEL_AXES + i]);
    }
    /* The kernel's axes are listed as inputs, outputs, space; here as outputs, inputs, space. */
    o->kernel_axis[0] = whole(feature[KERNEL_AXES + 1]);
    o->kernel_axis[1] = whole(feature[KERNEL_AXES]);
    o->out_axis[0] = whole(feature[OUTPUT_AXES]);
    o->out_axis[1] = whole(feature[OUTPUT_AXES + 1]);
}

/* ---- kinds ---- */

/* 1 if the list names axes below `rank`, each once. */
static int distinct(const int *axis, int count, int rank)
{
    unsigned seen = 0;
    for (int i = 0; i < count; i++) {
        if (axis[i] < 0 || axis[i] >= rank || seen >> axis[i] & 1) return 0;
        seen |= 1u << axis[i];
    }
    return 1;
}

static int broadcast_fits(const tgraph_operation *o, const tgraph_operation *x)
{
    if (!distinct(o->dims, x->rank, o->rank)) return 0;
    for (int i = 0; i < x->rank; i++)
        if (x->size[i] != o->size[o->dims[i]]) return 0;
    return 1;
}

static int transpose_fits(const tgraph_operation *o, const tgraph_operation *x)
{
    return x->rank == o->rank && distinct(o->dims, o->rank, o->rank);
}

static int reduce_fits(const tgraph_operation *o, const tgraph_operation *x)
{
    return x->rank > o->rank && distinct(o->dims, x->rank - o->rank, x->rank);
}

/* The space of the output is its other axes, in ascending order. */
static void name_output_space(tgraph_operation *o)
{
    for (int axis = 0, n = 2; axis < o->rank; axis++)
        if (axis != o->out_axis[0] && axis != o->out_axis[1]) o->out_axis[n++] = axis;
}

static int convolution_fits(tgraph_operation *o, const tgraph_operation *x,
                            const tgraph_operation *kernel)
{
    const int rank = o->rank;
    if (rank < 2 || x->rank != rank || kernel->rank != rank || !distinct(o->out_axis, 2, rank))
        return 0;
    name_output_space(o);
    return distinct(o->in_axis, rank, rank) && distinct(o->kernel_axis, rank, rank) &&
           x->size[o->in_axis[1]] == (int64_t)o->groups * kernel->size[o->kernel_axis[1]] &&
           kernel->size[o->kernel_axis[0]] == o->size[o->out_axis[1]];
}

/* 1 if the output has the batch axes, then the free axes of a, then those of b. */
static int free_axes_fit(const tgraph_operation *o, const tgraph_operation *a,
                         const tgraph_operation *b)
{
    int n = 0;
    for (; n < o->batch; n++)
        if (a->size[n] != o->size[n] || b->size[n] != o->size[n]) return 0;
    for (int i = o->batch; i < a->rank; i++)
        if (i != o->left && a->size[i] != o->size[n++]) return 0;
    for (int i = o->batch; i < b->rank; i++)
        if (i != o->right && b->size[i] != o->size[n++]) return 0;
    return 1;
}

static int dot_fits(tgraph_operation *o, const tgraph_operation *a, const tgraph_operation *b)
{
    if (o->known && o->left < a->rank && o->right < b->rank &&
        a->rank + b->rank - 2 - o->batch == o->rank && free_axes_fit(o, a, b))
        return 1;
    o->batch = a->rank + b->rank - 2 - o->rank;
    if (o->batch < 0 || o->batch >= a->rank || o->batch >= b->rank) return 0;
    for (o->left = a->rank - 1; o->left >= o->batch; o->left--)
        for (o->right = o->batch; o->right < b->rank; o->right++)
            if (a->size[o->left] == b->size[o->right] && free_axes_fit(o, a, b)) return 1;
    return 0;
}

static tgraph_kind kind_of(tgraph_operation *o, const tgraph_operation *first,
                           const tgraph_operation *second)
{
    switch (o->opcode) {
    case BROADCAST: return broadcast_fits(o, first) ? TGRAPH_BROADCAST : TGRAPH_MAP;
    case TRANSPOSE: return transpose_fits(o, first) ? TGRAPH_TRANSPOSE : TGRAPH_MAP;
    case REDUCE: return reduce_fits(o, first) ? TGRAPH_REDUCE : TGRAPH_MAP;
    case RESHAPE: return TGRAPH_RESHAPE;
    case REDUCE_WINDOW: return first->rank == o->rank ? TGRAPH_WINDOW : TGRAPH_MAP;
    case DOT: return dot_fits(o, first, second) ? TGRAPH_DOT : TGRAPH_MAP;
    case CONVOLUTION: return convolution_fits(o, first, second) ? TGRAPH_CONVOLUTION : TGRAPH_MAP;
    default: return TGRAPH_MAP;
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
static void settle(tgraph_physical *p, int node, int ordered)
{
    tgraph_operation *o = &p->operation[node];
    const int product = o->opcode == DOT || o->opcode == CONVOLUTION;
    o->varying = o->config >= 0;
    if (!o->operands || o->opcode == IOTA || o->opcode == PARAMETER || o->opcode == CONSTANT) {
        o->operands = 0;
        o->kind = TGRAPH_LEAF;
        return;
    }
    /* The bounds of a clamp are mostly scalars, so its layout is that of the clamped operand. */
    if (ordered && o->opcode == CLAMP && o->operands == 2) swap(&o->operand[0], &o->operand[1]);
    if (product && o->operands == 1) o->operand[o->operands++] = o->operand[0];
    for (int turn = 0; turn < o->operands; turn++) {
        const tgraph_operation *a = &p->operation[o->operand[0]];
        o->kind = kind_of(o, a, &p->operation[o->operand[o->operands - 1]]);
        if (o->kind != TGRAPH_MAP || ordered) break;
        if (o->operands == 2 && (product || a->rank != o->rank))
            swap(&o->operand[0], &o->operand[1]);
    }
    if (!product && o->kind != TGRAPH_MAP) o->operands = 1; /* the others are scalars */
    for (int k = 0; k < o->operands; k++) o->varying |= p->operation[o->operand[k]].varying;
}

/* ---- operands ---- */

/* Constants, parameters and what is spread out of them are rarely the first operand. */
static int leads(const tgraph_operation *o)
{
    return o->opcode != PARAMETER && o->opcode != CONSTANT && o->opcode != BROADCAST;
}

/* Scalars and a third operand are left out. */
static void add_operand(tgraph_physical *p, int node, int operand, int ordered)
{
    tgraph_operation *o = &p->operation[node];
    const int lead = !ordered && leads(&p->operation[operand]);
    if (p->operation[operand].rank == 0) return;
    if (o->operands && lead && !leads(&p->operation[o->operand[0]])) {
        o->operand[1] = o->operand[0];
        o->operand[0] = operand;
    } else if (o->operands < TGRAPH_INPUTS || (lead && !leads(&p->operation[o->operand[1]])))
        o->operand[o->operands ? 1 : 0] = operand;
    else
        return;
    if (o->operands < TGRAPH_INPUTS) o->operands++;
}

static ag_status read_operands(tgraph_physical *p, const tpugraphs_raw *raw, ag_failure *why)
{
    const int ordered = p->ordered = ag_npz_find(raw->npz, "operand_index") != NULL;
    int count = raw->edges;
    int32_t *pair = ordered ? tpugraphs_raw_pairs(&count, raw, "operand_index", why) : raw->edge;
    if (!pair) return why->status;
    for (int e = 0; e < count; e++)
        if (pair[2 * e + 1] < pair[2 * e]) add_operand(p, pair[2 * e], pair[2 * e + 1], ordered);
    if (ordered) ag_free(pair);
    for (int v = 0; v < raw->nodes; v++) settle(p, v, ordered);
    return AG_OK;
}

static ag_status read_dots(tgraph_physical *p, const tpugraphs_raw *raw, ag_failure *why)
{
    int count;
    tpugraphs_dot *dot = tpugraphs_dots_read(&count, raw, why);
    for (int i = 0; i < count; i++) {
        tgraph_operation *o = &p->operation[dot[i].node];
        o->batch = dot[i].batch;
        o->left = dot[i].left_axis;
        o->right = dot[i].right_axis;
        o->known = 1;
    }
    ag_free(dot);
    return why->status;
}

static ag_status read_nodes(tgraph_physical *p, const tpugraphs_raw *raw, ag_failure *why)
{
    enum { STEP = 256 };
    ag_rows *rows = ag_rows_open(raw->npz, "node_feat", why);
    if (!rows) return why->status;
    const size_t bytes = STEP * TPUGRAPHS_FEATURES * sizeof(float);
    float *feature = ag_alloc(bytes);
    if (!feature) harness_files_no_memory(raw->name, bytes, why);
    for (int first = 0; feature && first < raw->nodes && !why->status; first += STEP) {
        const int n = raw->nodes - first < STEP ? raw->nodes - first : STEP;
        if (ag_rows_next(rows, n, AG_F32, feature, why)) break;
        for (int i = 0; i < n; i++) {
            tgraph_operation *o = &p->operation[first + i];
            *o = (tgraph_operation){.opcode = raw->opcode[first + i], .config = -1};
            read_features(o, feature + (size_t)i * TPUGRAPHS_FEATURES);
        }
    }
    ag_free(feature);
    ag_rows_close(rows);
    return why->status;
}

ag_status tgraph_physical_read(tgraph_physical *p, const tpugraphs_raw *raw,
                               tpugraphs_budget *budget, size_t *bytes, ag_failure *why)
{
    const size_t count = (size_t)raw->nodes;
    *p = (tgraph_physical){.count = raw->nodes, .configurable = raw->configurable};
    p->operation = tpugraphs_take(budget, bytes, count, sizeof *p->operation, raw->name, why);
    if (!p->operation || read_nodes(p, raw, why)) return why->status;
    for (int i = 0; i < raw->configurable; i++) p->operation[raw->config_node[i]].config = i;
    return read_dots(p, raw, why) ? why->status : read_operands(p, raw, why);
}

void tgraph_physical_free(tgraph_physical *p) { ag_free(p->operation); }
