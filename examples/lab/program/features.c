/* SPDX-License-Identifier: MIT */
/* Programs as the arrays of a TpuGraphs file. */
#include "examples/lab/program/features.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/tpugraphs/hlo/parts.h"

#include <string.h>

static void append(hlo_instruction *x, int list, const int *value, int n)
{
    for (int i = 0; i < n; i++) hlo_append(x, list, value[i]);
}

static void append_shape(hlo_instruction *x, lab_shape shape)
{
    /* invalid, pred, s8, s16, s32, s64, u8, u16, u32, u64, f16, f32, ... */
    static const int one_hot[LAB_TYPES] = {[LAB_F32] = 11, [LAB_S32] = 4, [LAB_PRED] = 1};
    hlo_set(x, TPUGRAPHS_TYPE + one_hot[shape.type], 1);
    append(x, HLO_SIZES, shape.size, shape.rank);
    for (int i = shape.rank; i-- > 0;) hlo_append(x, HLO_LAYOUT, i);
}

static void append_window(hlo_instruction *x, const lab_window *w)
{
    const int of_list[] = {w->size,     w->stride,        w->low,     w->high,
                           w->dilation, w->base_dilation, w->reversed};
    for (int k = 0; k <= HLO_REVERSED - HLO_WINDOW_SIZE; k++)
        hlo_append(x, HLO_WINDOW_SIZE + k, of_list[k]);
}

static void append_convolution(hlo_instruction *x, const lab_node *v)
{
    const lab_conv_dims *d = &v->conv;
    hlo_set(x, TPUGRAPHS_IN_BATCH, d->in_batch);
    hlo_set(x, TPUGRAPHS_IN_BATCH + 1, d->in_feature);
    hlo_set(x, TPUGRAPHS_KERNEL_IN, d->kernel_in);
    hlo_set(x, TPUGRAPHS_KERNEL_IN + 1, d->kernel_out);
    hlo_set(x, TPUGRAPHS_OUT_BATCH, d->out_batch);
    hlo_set(x, TPUGRAPHS_OUT_BATCH + 1, d->out_feature);
    hlo_set(x, TPUGRAPHS_GROUPS, d->groups);
    hlo_set(x, TPUGRAPHS_GROUPS + 1, 1); /* batch_group_count */
    append(x, HLO_IN_SPATIAL, d->in_spatial, d->spatial);
    append(x, HLO_KERNEL_SPATIAL, d->kernel_spatial, d->spatial);
    for (int i = 0; i < d->spatial; i++) append_window(x, &v->window[i]);
}

void lab_node_features(float *features, const lab_program *p, int i)
{
    const lab_node *v = &p->nodes[i];
    const int rank = v->shape.rank;
    hlo_instruction x = {.type = 0};
    hlo_set(&x, TPUGRAPHS_IS_ROOT, i == p->n - 1);
    append_shape(&x, v->shape);
    append(&x, HLO_DIMENSIONS, v->dims, v->n_dims);
    for (int k = 0; k < i && v->op == LAB_PARAMETER; k++)
        x.row[TPUGRAPHS_PARAMETER_NUMBER] += p->nodes[k].op == LAB_PARAMETER;
    if (v->op == LAB_CONVOLUTION) append_convolution(&x, v);
    for (int a = 0; a < rank && v->op == LAB_REDUCE_WINDOW; a++) append_window(&x, &v->window[a]);
    for (int a = 0; a < rank && v->op == LAB_SLICE; a++) {
        hlo_append(&x, HLO_SLICE_START, v->start[a]);
        hlo_append(&x, HLO_SLICE_STRIDE, v->stride[a]);
        hlo_append(&x, HLO_SLICE_LIMIT, v->limit[a]);
    }
    for (int a = 0; a < rank && v->op == LAB_PAD; a++) {
        hlo_append(&x, HLO_PAD_LOW, v->window[a].low);
        hlo_append(&x, HLO_PAD_HIGH, v->window[a].high);
    }
    hlo_features(&x);
    memcpy(features, x.row, LAB_FEATURES * sizeof *features);
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
    hlo_graph g = {.nodes = 0};
    size_t nodes = 1;
    for (int i = 0; i < n; i++) nodes += (size_t)p[i].n;
    g.feature = harness_take(&memory, nodes * sizeof *g.feature);
    g.opcode = harness_take(&memory, nodes);
    g.edge = harness_take(&memory, nodes * LAB_OPERANDS * sizeof *g.edge);
    g.operand = harness_take(&memory, nodes * LAB_OPERANDS * sizeof *g.operand);
    g.dot = harness_take(&memory, nodes * sizeof *g.dot);
    uint8_t *reducer = harness_take(&memory, nodes);
    int64_t *node_at = harness_take(&memory, ((size_t)n + 1) * sizeof *node_at);
    int64_t *edge_at = harness_take(&memory, ((size_t)n + 1) * sizeof *edge_at);
    const int64_t ends = n + 1;
    for (int i = 0; i < n; i++) {
        node_at[i] = g.nodes;
        edge_at[i] = g.edges;
        g.edges += lab_edges(g.edge + g.edges, &p[i]);
        for (int j = 0; j < p[i].n; j++, g.nodes++) {
            const lab_node *v = &p[i].nodes[j];
            lab_node_features(g.feature[g.nodes], &p[i], j);
            g.opcode[g.nodes] = (uint8_t)lab_op_code(v->op);
            reducer[g.nodes] = (uint8_t)lab_reducer_code(&p[i], j);
            for (int k = 0; k < v->n_operands; k++) /* operands and dots name rows of `feature` */
                memcpy(g.operand[g.operands++], (int64_t[]){g.nodes, node_at[i] + v->operand[k]},
                       sizeof *g.operand);
            if (v->op == LAB_DOT)
                memcpy(g.dot[g.dots++],
                       (int64_t[]){g.nodes, v->dot.batch, v->dot.left, v->dot.right},
                       sizeof *g.dot);
        }
    }
    node_at[n] = g.nodes;
    edge_at[n] = g.edges;
    if (!hlo_add_nodes(w, &g, reducer, why) && offsets &&
        !ag_npz_add(w, "node_offset", AG_I64, 1, &ends, node_at, why))
        ag_npz_add(w, "edge_offset", AG_I64, 1, &ends, edge_at, why);
    ag_arena_free(memory);
    return why->status;
}
