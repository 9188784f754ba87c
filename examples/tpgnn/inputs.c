/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/inputs.h"

#include "examples/harness/harness.h"

#include <math.h>

int tpgnn_edges(int32_t *source, int32_t *target, const tpgnn_schedule *s, unsigned which,
                int32_t base)
{
    int m = 0;
    for (int v = 1; v < s->nodes && which & TPGNN_TREE; v++) {
        source[m] = base + s->parent[v];
        target[m++] = base + v;
    }
    for (int v = 1; v < s->nodes && which & TPGNN_NAMES; v++) {
        if (s->refers[v] < 0) continue;
        source[m] = base + v;
        target[m++] = base + s->refers[v];
    }
    return m;
}

ag_graph *tpgnn_graph(const tpgnn_schedule *s, unsigned which, ag_direction direction,
                      ag_failure *why)
{
    const size_t room = 2 * (size_t)s->nodes;
    int32_t *edge = harness_alloc(2 * room * sizeof *edge);
    const int m = tpgnn_edges(edge, edge + room, s, which, 0);
    ag_graph *graph = ag_graph_build(s->nodes, edge, edge + room, m, direction, why);
    harness_free(edge);
    return graph;
}

int tpgnn_class_vectors(float *out, const tpgnn_data *data, const tpgnn_fasttext *words)
{
    int unknown = 0;
    for (int i = 0; i < data->kinds; i++) {
        const char *name = data->kind[i].word[TPGNN_CLASS];
        unknown += tpgnn_fasttext_vector(out + (size_t)i * (size_t)words->size, words, name) >= 0;
    }
    return unknown;
}

void tpgnn_faithful_inputs(ag_real *x, const tpgnn_data *data, const tpgnn_schedule *s,
                           const float *vector, int size, double most)
{
    for (int v = 0; v < s->nodes; v++) {
        const tpgnn_kind *k = &data->kind[s->kind[v]];
        const float *word = vector + (size_t)s->kind[v] * (size_t)size;
        for (int i = 0; i < size; i++) *x++ = (ag_real)word[i];
        *x++ = (ag_real)(k->constant ? fmax(-most, fmin(most, (double)s->value[v])) : 0);
        *x++ = (ag_real)k->named;
    }
}
