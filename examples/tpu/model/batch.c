/* SPDX-License-Identifier: MIT */
/* Gathers features, messages, run times and rows of the samples of a batch. */
#include "examples/tpu/model/batch.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/harness/base/draws.h"

#include <math.h>
#include <string.h>

enum { MOST = 1 << 30 };

static int opens_group(const tpu_sample *sample, int i)
{
    return !i || sample[i].kernel != sample[i - 1].kernel;
}

static ag_status measure(tpu_batch *b, const tpu_sample *sample, int count, ag_failure *why)
{
    int64_t nodes = 0, base = 0;
    b->samples = count;
    b->kernels = 0;
    for (int i = 0; i < count; i++) {
        const int opens = opens_group(sample, i);
        b->kernels += opens;
        nodes += sample[i].kernel->nodes;
        base += opens ? sample[i].kernel->nodes : 0;
    }
    if (nodes > MOST)
        return ag_fail(why, AG_ESHAPE,
                       "a batch of %d samples has %lld nodes, but at most 2^30 are possible; take "
                       "fewer samples",
                       count, (long long)nodes);
    b->nodes = (int)nodes;
    b->base_nodes = (int)base;
    return AG_OK;
}

static void take_arrays(tpu_batch *b, bool tiles)
{
    const size_t s = (size_t)b->samples, k = (size_t)b->kernels;
    const size_t n = (size_t)b->nodes, base = (size_t)b->base_nodes;
    ag_arena **m = &b->memory;
    ag_arena_reset(b->memory);
    b->kernel = HARNESS_TAKE(m, b->kernel, s);
    b->config = HARNESS_TAKE(m, b->config, s);
    b->group = HARNESS_TAKE(m, b->group, s);
    b->group_start = HARNESS_TAKE(m, b->group_start, k + 1);
    b->base_start = HARNESS_TAKE(m, b->base_start, k + 1);
    b->start = HARNESS_TAKE(m, b->start, s + 1);
    b->feature = HARNESS_TAKE(m, b->feature, base * TPUGRAPHS_FEATURES);
    b->opcode = HARNESS_TAKE(m, b->opcode, base);
    b->base_group = HARNESS_TAKE(m, b->base_group, base);
    b->analysis = HARNESS_TAKE(m, b->analysis, k * TPU_STATIC);
    b->base = HARNESS_TAKE(m, b->base, n);
    b->sample = HARNESS_TAKE(m, b->sample, n);
    b->tile = tiles ? HARNESS_TAKE(m, b->tile, s * TPUGRAPHS_TILE_FEATURES) : NULL;
    b->runtime = HARNESS_TAKE(m, b->runtime, s);
    b->log_runtime = HARNESS_TAKE(m, b->log_runtime, s);
    b->rank = HARNESS_TAKE(m, b->rank, s);
}

static void fill_samples(tpu_batch *b, const tpu_sample *sample)
{
    int group = -1, base = 0, node = 0;
    for (int i = 0; i < b->samples; i++) {
        const tpu_kernel *k = sample[i].kernel;
        if (opens_group(sample, i)) {
            b->group_start[++group] = i;
            b->base_start[group] = base;
            base += k->nodes;
        }
        b->kernel[i] = k;
        b->config[i] = sample[i].config;
        b->group[i] = group;
        b->start[i] = node;
        for (int v = 0; v < k->nodes; v++, node++) {
            b->base[node] = b->base_start[group] + v;
            b->sample[node] = i;
        }
    }
    b->group_start[b->kernels] = b->samples;
    b->base_start[b->kernels] = base;
    b->start[b->samples] = node;
}

static void fill_features(tpu_batch *b, const tpu_scaler *scaler)
{
    for (int g = 0; g < b->kernels; g++) {
        const tpu_kernel *k = b->kernel[b->group_start[g]];
        const size_t at = (size_t)b->base_start[g];
        tpu_scale(b->feature + at * TPUGRAPHS_FEATURES, scaler, &scaler->node, k->feature,
                  k->nodes);
        memcpy(b->opcode + at, k->opcode, (size_t)k->nodes * sizeof *b->opcode);
        for (int v = 0; v < k->nodes; v++) b->base_group[at + (size_t)v] = g;
        tpu_scale(b->analysis + (size_t)g * TPU_STATIC, scaler, &scaler->analysis, k->analysis, 1);
    }
    for (int i = 0; b->tile && i < b->samples; i++)
        tpu_scale(b->tile + (size_t)i * TPUGRAPHS_TILE_FEATURES, scaler, &scaler->tile,
                  b->kernel[i]->tile + (size_t)b->config[i] * TPUGRAPHS_TILE_FEATURES, 1);
}

/* Of a node the first TPU_NEIGHBOURS, in the order of the file. */
static ag_graph *graph_of(const tpu_kernel *k, tpu_way way, int loops, ag_failure *why)
{
    static const ag_direction direction[TPU_WAYS] = {AG_ALONG, AG_AGAINST, AG_BOTH_WAYS};
    int32_t *from = HARNESS_NEW(from, 2 * k->edges + 1), *to = from + k->edges;
    for (int e = 0; e < k->edges; e++) {
        to[e] = k->edge[2 * e];
        from[e] = k->edge[2 * e + 1];
    }
    ag_graph *all = ag_graph_build(k->nodes, from, to, k->edges, direction[way], why);
    ag_graph *few = ag_graph_cap(all, TPU_NEIGHBOURS, why);
    ag_graph *graph = loops ? ag_graph_loops(few, why) : few;
    if (graph != few) ag_graph_free(few);
    ag_graph_free(all);
    harness_free(from);
    return graph;
}

static ag_status fill_graph(tpu_batch *b, tpu_way way, const tpu_batch_options *o, ag_failure *why)
{
    ag_graph **own = HARNESS_NEW(own, b->kernels);
    const ag_graph **part = HARNESS_NEW(part, b->samples);
    int parts = 0;
    for (int i = 0; i < b->samples; i++) {
        const int g = b->group[i], opens = i == b->group_start[g];
        if (opens) own[g] = graph_of(b->kernel[i], way, o->loops, why);
        if (opens || !o->by_kernel) part[parts++] = own[g];
    }
    b->graph[way] = ag_graph_batch(part, parts, why);
    for (int g = 0; g < b->kernels; g++) ag_graph_free(own[g]);
    harness_free(own);
    harness_free((void *)part);
    return why->status;
}

static void free_graphs(tpu_batch *b)
{
    for (int way = 0; way < TPU_WAYS; way++) {
        ag_graph_free(b->graph[way]);
        b->graph[way] = NULL;
    }
}

static void fill_runtimes(tpu_batch *b)
{
    harness_timed *order = HARNESS_TAKE(&b->memory, order, b->samples);
    for (int i = 0; i < b->samples; i++) {
        const tpu_kernel *k = b->kernel[i];
        b->runtime[i] = k->runtime ? k->runtime[b->config[i]] : 0;
        b->log_runtime[i] = k->runtime ? (ag_real)log((double)b->runtime[i]) : 0;
    }
    harness_group_ranks(b->rank, b->runtime, b->group_start, b->kernels, order);
}

/* The loop nests of a kernel under its tile, or of a fused kernel under its default tile, join the
   nodes that they compute. */
static void fill_rows(tpu_batch *b, const nests_joined *joined)
{
    nests_rows *nests = &b->nests;
    nests->items = 0;
    for (int g = 0; g < b->kernels; g++) {
        const int first = b->group_start[g];
        nests_tile_rows_add(nests, b->kernel[first], b->config + first,
                            b->group_start[g + 1] - first);
    }
    for (int i = 0; i < b->samples; i++)
        for (int r = nests->first[i]; r < nests->first[i + 1]; r++) nests->node[r] += b->start[i];
    nests_joined_fill(&b->rows, joined, nests, nests->node, b->nodes, NULL);
}

ag_status tpu_rows_fit(nests_scale *scale, const tpu_data *data, ag_failure *why)
{
    nests_rows nests = {0};
    for (int i = 0; i < data->kernels && harness_go_on(why); i++) {
        const tpu_kernel *k = &data->kernel[i];
        if (!k->runtime) continue;
        nests.items = 0;
        nests_tile_rows_add(&nests, k, NULL, k->configs < NESTS_FITTED ? k->configs : NESTS_FITTED);
        nests_scale_add_items(scale, &nests, k->runtime, NULL);
    }
    nests_scale_end(scale);
    nests_rows_free(&nests);
    return why->status;
}

ag_status tpu_batch_fill(tpu_batch *b, const tpu_sample *sample, int count,
                         const tpu_scaler *scaler, const tpu_batch_options *o, ag_failure *why)
{
    free_graphs(b);
    if (measure(b, sample, count, why)) return why->status;
    take_arrays(b, sample[0].kernel->tile != NULL);
    fill_samples(b, sample);
    fill_features(b, scaler);
    for (int way = 0; way < TPU_WAYS; way++)
        if (o->way[way] && fill_graph(b, (tpu_way)way, o, why)) return why->status;
    if (o->rows) fill_rows(b, o->rows);
    fill_runtimes(b);
    return AG_OK;
}

void tpu_batch_free(void *batch)
{
    tpu_batch *b = batch;
    free_graphs(b);
    ag_arena_free(b->memory);
    nests_joined_batch_free(&b->rows);
    nests_rows_free(&b->nests);
    *b = (tpu_batch){0};
}
