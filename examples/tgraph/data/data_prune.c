/* SPDX-License-Identifier: MIT */
/* One-hop pruning, and the graph that the model gets. */
#include "examples/harness/harness.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/tgraph/data/data_internal.h"

#include <math.h>
#include <string.h>

int tgraph_prune(int32_t *new_id, int32_t *edge, int *edges, int nodes, const int32_t *config_node,
                 int configurable)
{
    enum { CONFIGURABLE = 1, NEIGHBOUR = 2 };
    int kept_edges = 0, kept = 0;
    for (int v = 0; v < nodes; v++) new_id[v] = 0;
    for (int i = 0; i < configurable; i++) new_id[config_node[i]] = CONFIGURABLE;
    for (int e = 0; e < *edges; e++) {
        int32_t u = edge[2 * e], v = edge[2 * e + 1];
        if (!((new_id[u] | new_id[v]) & CONFIGURABLE)) continue;
        new_id[u] |= NEIGHBOUR;
        new_id[v] |= NEIGHBOUR;
        edge[2 * kept_edges] = u;
        edge[2 * kept_edges++ + 1] = v;
    }
    for (int v = 0; v < nodes; v++) new_id[v] = new_id[v] ? kept++ : -1;
    for (int i = 0; i < 2 * kept_edges; i++) edge[i] = new_id[edge[i]];
    *edges = kept_edges;
    return kept;
}

void tgraph_layout_index(int32_t row[TGRAPH_LAYOUT], const float node_feat[TPUGRAPHS_FEATURES],
                         int repad)
{
    int rank = 0; /* sizes of axes that are not there are 0 */
    for (int k = 0; k < TGRAPH_LAYOUT; k++) rank += node_feat[TPUGRAPHS_SIZES + k] != 0;
    for (int k = 0; k < TGRAPH_LAYOUT; k++) {
        float value = repad && k >= rank ? -1.0F : node_feat[TGRAPH_NUMERIC + k];
        float index = value + 2.0F;
        row[k] = index < 0 ? 0 : index > 7 ? 7 : (int32_t)index;
    }
}

static void lay_arrays(tgraph_graph *g, size_t *bytes)
{
    const int64_t n = g->nodes;
    *bytes = 0;
    g->raw = tpugraphs_lay(g->block, bytes, n * TGRAPH_NUMERIC, sizeof *g->raw);
    g->feature = tpugraphs_lay(g->block, bytes, n * TGRAPH_NUMERIC, sizeof *g->feature);
    g->layout = tpugraphs_lay(g->block, bytes, n * TGRAPH_LAYOUT, sizeof *g->layout);
    g->opcode = tpugraphs_lay(g->block, bytes, n, sizeof *g->opcode);
    g->edge = tpugraphs_lay(g->block, bytes, 2 * (int64_t)g->edges, sizeof *g->edge);
    g->config_node = tpugraphs_lay(g->block, bytes, g->configurable, sizeof *g->config_node);
    if (g->known) g->kept = tpugraphs_lay(g->block, bytes, g->known, sizeof *g->kept);
}

static ag_status take_graph(tgraph_graph *g, const tpugraphs_raw *raw, size_t *bytes,
                            ag_failure *why)
{
    size_t all;
    lay_arrays(g, &all);
    g->block = tpugraphs_take(raw->budget, bytes, all, 1, raw->name, why);
    if (g->block) lay_arrays(g, &all);
    return why->status;
}

static ag_status keep_features(tgraph_graph *g, const tpugraphs_raw *raw, const float *row,
                               int node, int to, const tgraph_data_options *options,
                               ag_failure *why)
{
    for (int k = 0; k < TPUGRAPHS_FEATURES; k++)
        if (!isfinite(row[k]))
            return ag_fail(why, AG_EDATA, "%s: node_feat[%d,%d] = %g, but features must be finite",
                           raw->name, node, k, (double)row[k]);
    if (to < 0) return AG_OK;
    float *kept = g->raw + (size_t)to * TGRAPH_NUMERIC;
    memcpy(kept, row, TGRAPH_NUMERIC * sizeof *row);
    if (options->logs) tpugraphs_take_logs(kept, TGRAPH_NUMERIC);
    tgraph_layout_index(g->layout + (size_t)to * TGRAPH_LAYOUT, row, options->repad);
    return AG_OK;
}

/* Every row is checked, kept or not: the file is either whole or refused. */
static ag_status stream_features(tgraph_graph *g, tpugraphs_raw *raw, const int32_t *new_id,
                                 const tgraph_data_options *options, ag_failure *why)
{
    enum { STEP = 256 };
    ag_rows *rows = ag_rows_open(raw->npz, "node_feat", why);
    if (!rows) return why->status;
    float *buffer = HARNESS_NEW(buffer, STEP * TPUGRAPHS_FEATURES);
    for (int first = 0; first < raw->nodes && !why->status; first += STEP) {
        int n = raw->nodes - first < STEP ? raw->nodes - first : STEP;
        if (ag_rows_next(rows, n, AG_F32, buffer, why)) break;
        for (int i = 0; i < n && !why->status; i++)
            keep_features(g, raw, buffer + (size_t)i * TPUGRAPHS_FEATURES, first + i,
                          new_id[first + i], options, why);
    }
    harness_free(buffer);
    ag_rows_close(rows);
    return why->status;
}

ag_status tgraph_graph_build(tgraph_graph *g, tpugraphs_raw *raw,
                             const tgraph_data_options *options, size_t *bytes, ag_failure *why)
{
    size_t scratch = (size_t)raw->nodes * sizeof(int32_t);
    int32_t *new_id = harness_alloc(scratch);
    *g = (tgraph_graph){.nodes = raw->nodes,
                        .edges = raw->edges,
                        .configurable = raw->configurable,
                        .known = options->operations ? raw->nodes : 0};
    if (options->prune)
        g->nodes = tgraph_prune(new_id, raw->edge, &g->edges, raw->nodes, raw->config_node,
                                raw->configurable);
    else
        for (int v = 0; v < raw->nodes; v++) new_id[v] = v;
    if (!take_graph(g, raw, bytes, why)) {
        memset(g->feature, 0, (size_t)g->nodes * TGRAPH_NUMERIC * sizeof *g->feature);
        if (g->kept) memcpy(g->kept, new_id, scratch);
        memcpy(g->edge, raw->edge, (size_t)g->edges * 2 * sizeof *g->edge);
        for (int v = 0; v < raw->nodes; v++)
            if (new_id[v] >= 0) g->opcode[new_id[v]] = raw->opcode[v];
        for (int i = 0; i < g->configurable; i++) g->config_node[i] = new_id[raw->config_node[i]];
        stream_features(g, raw, new_id, options, why);
    }
    harness_free(new_id);
    return why->status;
}

void tgraph_graph_free(tgraph_graph *g) { ag_free(g->block); }
