/* SPDX-License-Identifier: MIT */
#include "tpu_lab.h"

#include "examples/harness/harness.h"
#include "examples/lab/program/features.h"
#include "examples/tpu/analytic/analysis.h"

void tpu_lab_kernel(tpu_kernel *k, const lab_program *p)
{
    int64_t(*edges)[2] = harness_alloc((size_t)p->n * LAB_OPERANDS * sizeof *edges);
    float *feature = harness_alloc((size_t)p->n * LAB_FEATURES * sizeof *feature);
    int32_t *opcode = harness_alloc((size_t)p->n * sizeof *opcode);
    *k = (tpu_kernel){.name = "made", .nodes = p->n, .configs = 1};
    k->edges = lab_edges(edges, p);
    int32_t *edge = harness_alloc((size_t)k->edges * 2 * sizeof *edge + 1);
    for (int i = 0; i < 2 * k->edges; i++) edge[i] = (int32_t)edges[i / 2][i % 2];
    for (int i = 0; i < p->n; i++) {
        lab_node_features(feature + (size_t)i * LAB_FEATURES, p, i);
        opcode[i] = lab_op_code(p->nodes[i].op);
    }
    harness_free(edges);
    k->feature = feature;
    k->opcode = opcode;
    k->edge = edge;
    tpu_static_features(k->analysis, k);
}

void tpu_lab_free(tpu_kernel *k)
{
    const void *block[] = {k->feature, k->opcode, k->edge, k->tile, k->runtime, k->normalizer};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) harness_free((void *)block[i]);
    *k = (tpu_kernel){0};
}
