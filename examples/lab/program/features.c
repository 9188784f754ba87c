/* SPDX-License-Identifier: MIT */
/* The 140 node features of TpuGraphs, in the order of featurizers.h (tpu_graphs). */
#include "examples/lab/program/features.h"
#include "examples/tpugraphs/operations.h"

#include "examples/harness/harness.h"

#include <string.h>

/* Writes `slots` leading values, the sum and the product of all n; an empty product is 1. It wraps
   around as the 64-bit product of TpuGraphs does. */
static void put_list(float *out, int slots, const int *list, int n)
{
    int64_t sum = 0;
    uint64_t product = 1;
    for (int i = 0; i < n; i++) {
        if (i < slots) out[i] = (float)list[i];
        sum += list[i];
        product *= (uint64_t)(int64_t)list[i];
    }
    out[slots] = (float)sum;
    out[slots + 1] = (float)(int64_t)product;
}

static void put_shape(float *out, lab_shape shape)
{
    /* invalid, pred, s8, s16, s32, s64, u8, u16, u32, u64, f16, f32, ... */
    static const int one_hot[LAB_TYPES] = {[LAB_F32] = 11, [LAB_S32] = 4, [LAB_PRED] = 1};
    out[TPUGRAPHS_TYPE + one_hot[shape.type]] = 1;
    put_list(out + TPUGRAPHS_SIZES, 6, shape.size, shape.rank);
    for (int i = 0; i < shape.rank; i++) out[TPUGRAPHS_LAYOUT + i] = (float)(shape.rank - 1 - i);
}

static void put_window(float *out, const lab_window *window, int n)
{
    int list[6][LAB_RANK], reversed = 0;
    static const int start[6] = {TPUGRAPHS_WINDOW_SIZE,     TPUGRAPHS_WINDOW_STRIDE,
                                 TPUGRAPHS_WINDOW_LOW,      TPUGRAPHS_WINDOW_HIGH,
                                 TPUGRAPHS_WINDOW_DILATION, TPUGRAPHS_BASE_DILATION};
    for (int i = 0; i < n; i++) {
        const lab_window *w = &window[i];
        const int each[6] = {w->size, w->stride, w->low, w->high, w->dilation, w->base_dilation};
        for (int k = 0; k < 6; k++) list[k][i] = each[k];
        out[TPUGRAPHS_REVERSED + i] = (float)w->reversed;
        reversed += w->reversed;
    }
    for (int k = 0; k < 6; k++) put_list(out + start[k], 6, list[k], n);
    out[TPUGRAPHS_REVERSED + 6] = (float)reversed;
    out[TPUGRAPHS_REVERSED + 7] = (float)(n - reversed);
}

static void put_convolution(float *out, const lab_conv_dims *d)
{
    out[TPUGRAPHS_IN_BATCH] = (float)d->in_batch;
    out[TPUGRAPHS_IN_BATCH + 1] = (float)d->in_feature;
    out[TPUGRAPHS_KERNEL_IN] = (float)d->kernel_in;
    out[TPUGRAPHS_KERNEL_IN + 1] = (float)d->kernel_out;
    for (int i = 0; i < d->spatial; i++) {
        out[TPUGRAPHS_IN_BATCH + 2 + i] = (float)d->in_spatial[i];
        out[TPUGRAPHS_KERNEL_IN + 2 + i] = (float)d->kernel_spatial[i];
    }
    out[TPUGRAPHS_OUT_BATCH] = (float)d->out_batch;
    out[TPUGRAPHS_OUT_BATCH + 1] = (float)d->out_feature;
    out[TPUGRAPHS_GROUPS] = (float)d->groups;
    out[TPUGRAPHS_GROUPS + 1] = 1; /* batch_group_count */
}

void lab_node_features(float *features, const lab_program *p, int i)
{
    const lab_node *node = &p->nodes[i];
    int low[LAB_RANK], high[LAB_RANK];
    int rank = node->shape.rank, slices = node->op == LAB_SLICE ? rank : 0;
    int windows = node->op == LAB_REDUCE_WINDOW ? rank
                  : node->op == LAB_CONVOLUTION ? node->conv.spatial
                                                : 0;
    memset(features, 0, LAB_FEATURES * sizeof *features);
    features[TPUGRAPHS_IS_ROOT] = i == p->n - 1;
    put_shape(features, node->shape);
    for (int k = 0; k < i && node->op == LAB_PARAMETER; k++)
        features[TPUGRAPHS_PARAMETER_NUMBER] += p->nodes[k].op == LAB_PARAMETER;
    for (int k = 0; k < node->n_dims; k++) features[TPUGRAPHS_DIMS + k] = (float)node->dims[k];
    put_window(features, node->window, windows);
    if (node->op == LAB_CONVOLUTION) put_convolution(features, &node->conv);
    put_list(features + TPUGRAPHS_SLICE_START, 2, node->start, slices);
    put_list(features + TPUGRAPHS_SLICE_STRIDE, 2, node->stride, slices);
    put_list(features + TPUGRAPHS_SLICE_LIMIT, 2, node->limit, slices);
    put_list(features + TPUGRAPHS_DYNAMIC_SIZES, 2, NULL, 0);
    for (int i = 0; i < rank; i++) {
        low[i] = node->window[i].low;
        high[i] = node->window[i].high;
    }
    put_list(features + TPUGRAPHS_PAD_LOW, 2, low, node->op == LAB_PAD ? rank : 0);
    put_list(features + TPUGRAPHS_PAD_HIGH, 2, high, node->op == LAB_PAD ? rank : 0);
}

int lab_edges(int64_t (*edges)[2], const lab_program *p)
{
    int n = 0;
    for (int i = 0; i < p->n; i++)
        for (int last = -1, next = 0; next < i; last = next) {
            next = i; /* the least operand above the last one */
            for (int k = 0; k < p->nodes[i].n_operands; k++) {
                const int v = p->nodes[i].operand[k];
                if (v > last && v < next) next = v;
            }
            if (next < i) memcpy(edges[n++], (int64_t[]){i, next}, sizeof *edges);
        }
    return n;
}

int lab_reducer_code(const lab_program *p, int i)
{
    const lab_node *v = &p->nodes[i];
    if (v->op != LAB_REDUCE && v->op != LAB_REDUCE_WINDOW) return 0;
    return lab_op_code(v->reducer == LAB_MAX ? LAB_MAXIMUM : LAB_ADD);
}

ag_status lab_npz_graphs(ag_npz_writer *w, const lab_program *p, int n, int offsets,
                         ag_failure *why)
{
    ag_arena *memory = NULL;
    size_t nodes = 1;
    for (int i = 0; i < n; i++) nodes += (size_t)p[i].n;
    float *feature = harness_take(&memory, nodes * LAB_FEATURES * sizeof *feature);
    uint8_t *opcode = harness_take(&memory, nodes), *reducer = harness_take(&memory, nodes);
    int64_t(*edge)[2] = harness_take(&memory, nodes * LAB_OPERANDS * sizeof *edge);
    int64_t(*operand)[2] = harness_take(&memory, nodes * LAB_OPERANDS * sizeof *operand);
    int64_t(*dot)[4] = harness_take(&memory, nodes * sizeof *dot), operands = 0, dots = 0;
    int64_t *node_at = harness_take(&memory, ((size_t)n + 1) * sizeof *node_at);
    int64_t *edge_at = harness_take(&memory, ((size_t)n + 1) * sizeof *edge_at);
    const int64_t ends = n + 1;
    for (int i = 0; i < n; i++) {
        const int64_t first = node_at[i];
        node_at[i + 1] = first + p[i].n;
        edge_at[i + 1] = edge_at[i] + lab_edges(edge + edge_at[i], &p[i]);
        for (int j = 0; j < p[i].n; j++) {
            const lab_node *v = &p[i].nodes[j];
            const int64_t row = first + j; /* of `feature`, as operands and dots name nodes */
            lab_node_features(feature + row * LAB_FEATURES, &p[i], j);
            opcode[row] = (uint8_t)lab_op_code(v->op);
            reducer[row] = (uint8_t)lab_reducer_code(&p[i], j);
            for (int k = 0; k < v->n_operands; k++, operands++)
                memcpy(operand[operands], (int64_t[]){row, first + v->operand[k]}, sizeof *operand);
            if (v->op == LAB_DOT)
                memcpy(dot[dots++], (int64_t[]){row, v->dot.batch, v->dot.left, v->dot.right},
                       sizeof *dot);
        }
    }
    if (!ag_npz_add(w, "node_feat", AG_F32, 2, (int64_t[]){node_at[n], LAB_FEATURES}, feature,
                    why) &&
        !ag_npz_add(w, "node_opcode", AG_U8, 1, &node_at[n], opcode, why) &&
        !ag_npz_add(w, "node_reducer", AG_U8, 1, &node_at[n], reducer, why) &&
        !ag_npz_add(w, "edge_index", AG_I64, 2, (int64_t[]){edge_at[n], 2}, edge, why) &&
        !ag_npz_add(w, "operand_index", AG_I64, 2, (int64_t[]){operands, 2}, operand, why) &&
        !ag_npz_add(w, "dot_axes", AG_I64, 2, (int64_t[]){dots, 4}, dot, why) && offsets &&
        !ag_npz_add(w, "node_offset", AG_I64, 1, &ends, node_at, why))
        ag_npz_add(w, "edge_offset", AG_I64, 1, &ends, edge_at, why);
    ag_arena_free(memory);
    return why->status;
}
