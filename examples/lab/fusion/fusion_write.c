/* SPDX-License-Identifier: MIT */
/* Writes one npz with all kernels of a program, their graphs concatenated. */
#include "core/io/io.h"
#include "examples/harness/harness.h"
#include "examples/lab/program/features.h"
#include "examples/lab/fusion/fusion.h"

#include <string.h>

typedef struct graphs {
    float *feature;
    uint8_t *opcode, *reducer;
    int64_t (*edge)[2], (*operand)[2], (*dot)[4], *node_offset, *edge_offset;
    int64_t operands, dots; /* nodes of these two are rows of `feature` */
    ag_arena *memory;
} graphs;

static graphs join(const lab_fusion *f, int n)
{
    size_t nodes = 0;
    graphs g = {0};
    for (int i = 0; i < n; i++) nodes += (size_t)f->kernel[i].n;
    g.feature = harness_take(&g.memory, nodes * LAB_FEATURES * sizeof *g.feature + 1);
    g.opcode = harness_take(&g.memory, nodes + 1);
    g.reducer = harness_take(&g.memory, nodes + 1);
    g.edge = harness_take(&g.memory, nodes * LAB_OPERANDS * sizeof *g.edge + 1);
    g.operand = harness_take(&g.memory, nodes * LAB_OPERANDS * sizeof *g.operand + 1);
    g.dot = harness_take(&g.memory, nodes * sizeof *g.dot + 1);
    g.node_offset = harness_take(&g.memory, ((size_t)n + 1) * sizeof *g.node_offset);
    g.edge_offset = harness_take(&g.memory, ((size_t)n + 1) * sizeof *g.edge_offset);
    for (int i = 0; i < n; i++) {
        const lab_program *p = &f->kernel[i];
        const int64_t at = g.node_offset[i];
        g.node_offset[i + 1] = at + p->n;
        g.edge_offset[i + 1] = g.edge_offset[i] + lab_edges(g.edge + g.edge_offset[i], p);
        g.operands += lab_operands(g.operand + g.operands, p, at);
        g.dots += lab_dots(g.dot + g.dots, p, at);
        for (int j = 0; j < p->n; j++) {
            lab_node_features(g.feature + (at + j) * LAB_FEATURES, p, j);
            g.opcode[at + j] = (uint8_t)lab_op_code(p->nodes[j].op);
            g.reducer[at + j] = (uint8_t)lab_reducer_code(p, j);
        }
    }
    return g;
}

static ag_status add_graphs(ag_npz_writer *w, const graphs *g, int64_t n, ag_failure *why)
{
    const int64_t nodes = g->node_offset[n], edges = g->edge_offset[n], ends = n + 1;
    if (!ag_npz_add(w, "node_feat", AG_F32, 2, (int64_t[]){nodes, LAB_FEATURES}, g->feature, why) &&
        !ag_npz_add(w, "node_opcode", AG_U8, 1, &nodes, g->opcode, why) &&
        !ag_npz_add(w, "node_reducer", AG_U8, 1, &nodes, g->reducer, why) &&
        !ag_npz_add(w, "edge_index", AG_I64, 2, (int64_t[]){edges, 2}, g->edge, why) &&
        !ag_npz_add(w, "operand_index", AG_I64, 2, (int64_t[]){g->operands, 2}, g->operand, why) &&
        !ag_npz_add(w, "dot_axes", AG_I64, 2, (int64_t[]){g->dots, 4}, g->dot, why) &&
        !ag_npz_add(w, "node_offset", AG_I64, 1, &ends, g->node_offset, why))
        ag_npz_add(w, "edge_offset", AG_I64, 1, &ends, g->edge_offset, why);
    return why->status;
}

/* Counts the partitions in which each kernel occurs. */
static void count_partitions(int64_t *count, const lab_fusion *f, int n)
{
    int *last = harness_alloc(((size_t)n + 1) * sizeof *last);
    memset(count, 0, (size_t)n * sizeof *count);
    for (int q = 0; q < f->partitions; q++)
        for (int i = f->offset[q]; i < f->offset[q + 1]; i++) {
            count[f->part[i]] += last[f->part[i]] != q + 1;
            last[f->part[i]] = q + 1;
        }
    harness_free(last);
}

static ag_status add_times(ag_npz_writer *w, const lab_fusion *f, const lab_timing *timing,
                           int64_t n, ag_failure *why)
{
    int64_t *x = harness_alloc((size_t)n * sizeof *x);
    float *spread = harness_alloc((size_t)n * sizeof *spread);
    for (int64_t i = 0; i < n; i++) x[i] = timing[i].ns, spread[i] = (float)timing[i].spread;
    if (!ag_npz_add(w, "kernel_runtime", AG_I64, 1, &n, x, why))
        ag_npz_add(w, "kernel_spread", AG_F32, 1, &n, spread, why);
    count_partitions(x, f, (int)n);
    if (!why->status) ag_npz_add(w, "kernel_partitions", AG_I64, 1, &n, x, why);
    memcpy(x, f->hash, (size_t)n * sizeof *x);
    if (!why->status) ag_npz_add(w, "kernel_hash", AG_I64, 1, &n, x, why);
    harness_free(x);
    harness_free(spread);
    return why->status;
}

static ag_status add_partitions(ag_npz_writer *w, const lab_fusion *f, ag_failure *why)
{
    const int64_t ends = f->partitions + 1, parts = f->parts;
    int64_t *offset = harness_alloc((size_t)ends * sizeof *offset);
    int64_t *part = harness_alloc(((size_t)parts + 1) * sizeof *part);
    for (int64_t i = 0; i < ends; i++) offset[i] = f->offset[i];
    for (int64_t i = 0; i < parts; i++) part[i] = f->part[i];
    if (!ag_npz_add(w, "partition_offset", AG_I64, 1, &ends, offset, why))
        ag_npz_add(w, "partition_kernel", AG_I64, 1, &parts, part, why);
    harness_free(offset);
    harness_free(part);
    return why->status;
}

ag_status lab_fusion_write(const lab_manifest *m, const char *name, const lab_fusion *f,
                           const lab_timing *timing, int n, ag_failure *why)
{
    char *path = lab_manifest_path(m, name, ".npz");
    ag_npz_writer *w = ag_npz_create(path, why);
    graphs g = join(f, n);
    harness_free(path);
    if (w) {
        if (!add_graphs(w, &g, n, why) && !add_times(w, f, timing, n, why) &&
            !add_partitions(w, f, why))
            ag_npz_finish(w, why);
        else
            ag_npz_cancel(w);
    }
    ag_arena_free(g.memory);
    return why->status;
}
