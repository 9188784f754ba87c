/* SPDX-License-Identifier: MIT */
/* The 140 node features of TpuGraphs, in the order of featurizers.h (tpu_graphs). */
#include "examples/lab/program/features.h"

#include <string.h>

/* Where each group starts. */
enum {
    IS_ROOT = 0,
    TYPE = 2,
    SIZES = 21,
    PARAMETER_NUMBER = 30,
    DIMS = 31,
    WINDOW_SIZE = 37,
    WINDOW_STRIDE = 45,
    WINDOW_LOW = 53,
    WINDOW_HIGH = 61,
    WINDOW_DILATION = 69,
    BASE_DILATION = 77,
    REVERSED = 85,
    IN_BATCH = 93,
    KERNEL_IN = 99,
    OUT_BATCH = 105,
    GROUPS = 107,
    SLICE_START = 109,
    SLICE_STRIDE = 113,
    SLICE_LIMIT = 117,
    DYNAMIC_SIZES = 121,
    PAD_LOW = 125,
    PAD_HIGH = 129,
    LAYOUT = 134
};

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
    out[TYPE + one_hot[shape.type]] = 1;
    put_list(out + SIZES, 6, shape.size, shape.rank);
    for (int i = 0; i < shape.rank; i++) out[LAYOUT + i] = (float)(shape.rank - 1 - i);
}

static void put_window(float *out, const lab_window *window, int n)
{
    int list[6][LAB_RANK], reversed = 0;
    static const int start[6] = {WINDOW_SIZE, WINDOW_STRIDE,   WINDOW_LOW,
                                 WINDOW_HIGH, WINDOW_DILATION, BASE_DILATION};
    for (int i = 0; i < n; i++) {
        const lab_window *w = &window[i];
        const int each[6] = {w->size, w->stride, w->low, w->high, w->dilation, w->base_dilation};
        for (int k = 0; k < 6; k++) list[k][i] = each[k];
        out[REVERSED + i] = (float)w->reversed;
        reversed += w->reversed;
    }
    for (int k = 0; k < 6; k++) put_list(out + start[k], 6, list[k], n);
    out[REVERSED + 6] = (float)reversed;
    out[REVERSED + 7] = (float)(n - reversed);
}

static void put_convolution(float *out, const lab_conv_dims *d)
{
    out[IN_BATCH] = (float)d->in_batch;
    out[IN_BATCH + 1] = (float)d->in_feature;
    out[KERNEL_IN] = (float)d->kernel_in;
    out[KERNEL_IN + 1] = (float)d->kernel_out;
    for (int i = 0; i < d->spatial; i++) {
        out[IN_BATCH + 2 + i] = (float)d->in_spatial[i];
        out[KERNEL_IN + 2 + i] = (float)d->kernel_spatial[i];
    }
    out[OUT_BATCH] = (float)d->out_batch;
    out[OUT_BATCH + 1] = (float)d->out_feature;
    out[GROUPS] = (float)d->groups;
    out[GROUPS + 1] = 1; /* batch_group_count */
}

static void put_padding(float *out, const lab_window *window, int n)
{
    int low[LAB_RANK], high[LAB_RANK];
    for (int i = 0; i < n; i++) {
        low[i] = window[i].low;
        high[i] = window[i].high;
    }
    put_list(out + PAD_LOW, 2, low, n);
    put_list(out + PAD_HIGH, 2, high, n);
}

static int parameters_before(const lab_program *p, int i)
{
    int count = 0;
    for (int k = 0; k < i; k++) count += p->nodes[k].op == LAB_PARAMETER;
    return count;
}

void lab_node_features(float *features, const lab_program *p, int i)
{
    const lab_node *node = &p->nodes[i];
    int rank = node->shape.rank, slices = node->op == LAB_SLICE ? rank : 0;
    int windows = node->op == LAB_REDUCE_WINDOW ? rank
                  : node->op == LAB_CONVOLUTION ? node->conv.spatial
                                                : 0;
    memset(features, 0, LAB_FEATURES * sizeof *features);
    features[IS_ROOT] = i == p->n - 1;
    put_shape(features, node->shape);
    if (node->op == LAB_PARAMETER) features[PARAMETER_NUMBER] = (float)parameters_before(p, i);
    for (int k = 0; k < node->n_dims; k++) features[DIMS + k] = (float)node->dims[k];
    put_window(features, node->window, windows);
    if (node->op == LAB_CONVOLUTION) put_convolution(features, &node->conv);
    put_list(features + SLICE_START, 2, node->start, slices);
    put_list(features + SLICE_STRIDE, 2, node->stride, slices);
    put_list(features + SLICE_LIMIT, 2, node->limit, slices);
    put_list(features + DYNAMIC_SIZES, 2, NULL, 0);
    put_padding(features, node->window, node->op == LAB_PAD ? rank : 0);
}

int lab_edges(int64_t (*edges)[2], const lab_program *p)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        int first = n;
        for (int k = 0; k < p->nodes[i].n_operands; k++) {
            int v = p->nodes[i].operand[k], at = n;
            while (at > first && edges[at - 1][1] > v) at--;
            if (at > first && edges[at - 1][1] == v) continue;
            for (int j = n; j > at; j--) edges[j][1] = edges[j - 1][1];
            edges[n++][0] = i;
            edges[at][1] = v;
        }
    }
    return n;
}

int lab_operands(int64_t (*pairs)[2], const lab_program *p, int64_t first)
{
    int n = 0;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->nodes[i].n_operands; k++, n++) {
            pairs[n][0] = first + i;
            pairs[n][1] = first + p->nodes[i].operand[k];
        }
    return n;
}

int lab_reducer_code(const lab_program *p, int i)
{
    const lab_node *v = &p->nodes[i];
    if (v->op != LAB_REDUCE && v->op != LAB_REDUCE_WINDOW) return 0;
    return lab_op_code(v->reducer == LAB_MAX ? LAB_MAXIMUM : LAB_ADD);
}

int lab_dots(int64_t (*dots)[4], const lab_program *p, int64_t first)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        const lab_node *v = &p->nodes[i];
        if (v->op != LAB_DOT) continue;
        const int64_t row[4] = {first + i, v->dot.batch, v->dot.left, v->dot.right};
        memcpy(dots[n++], row, sizeof row);
    }
    return n;
}
