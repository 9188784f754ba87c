/* SPDX-License-Identifier: MIT */
/* A random program and random configurations for the tests of TGraph. */
#ifndef AG_TESTS_MODEL_RANDOM_H
#define AG_TESTS_MODEL_RANDOM_H

#include "model_runner.h"

#include <stdlib.h>

/* Every array belongs to the caller; model_random_free. */
static inline model_graph model_random_graph(int nodes, int edges, int configurable, uint64_t seed)
{
    ag_random r = {seed, 1, 0};
    model_graph g = {.nodes = nodes, .edges = edges, .configurable = configurable};
    const size_t n = (size_t)nodes;
    g.feature = calloc(n * TGRAPH_NUMERIC + 1, sizeof *g.feature);
    g.layout = calloc(n * TGRAPH_LAYOUT + 1, sizeof *g.layout);
    g.opcode = calloc(n + 1, sizeof *g.opcode);
    g.edge = calloc(2 * (size_t)edges + 1, sizeof *g.edge);
    for (int i = 0; i < nodes * TGRAPH_NUMERIC; i++) g.feature[i] = ag_random_normal(&r);
    for (int i = 0; i < nodes * TGRAPH_LAYOUT; i++)
        g.layout[i] = 1 + (int32_t)ag_random_below(&r, TGRAPH_LAYOUT_ROWS - 1);
    for (int v = 0; v < nodes; v++) g.opcode[v] = (int32_t)ag_random_below(&r, TGRAPH_OPCODES);
    for (int i = 0; i < 2 * edges; i++) g.edge[i] = (int32_t)ag_random_below(&r, (uint32_t)nodes);
    g.config_node = calloc((size_t)configurable, sizeof *g.config_node);
    for (int k = 0; k < configurable; k++) g.config_node[k] = k * nodes / configurable;
    return g;
}

/* Rows whose times are about 1 in all; each configuration has entries at some of its nodes. */
static inline void model_random_rows(model_data *d, const model_graph *g, ag_random *r)
{
    enum { ROWS = 7, ENTRIES = 20, INPUTS = NESTS_LAYOUT_COLUMNS };
    nests_rows *rows = &d->rows;
    const int entries = d->configs * ENTRIES;
    *rows = (nests_rows){.rows = ROWS, .items = d->configs};
    rows->x = calloc(ROWS * INPUTS, sizeof *rows->x);
    rows->word = calloc(ROWS, sizeof *rows->word);
    rows->work = calloc(ROWS, sizeof *rows->work);
    rows->first = calloc((size_t)d->configs + 1, sizeof *rows->first);
    rows->row = calloc((size_t)entries, sizeof *rows->row);
    d->place = calloc((size_t)entries, sizeof *d->place);
    for (int i = 0; i < ROWS * INPUTS; i++) rows->x[i] = (float)ag_random_normal(r);
    for (int i = 0; i < ROWS; i++) {
        rows->word[i] = (int)ag_random_below(r, TGRAPH_OPCODES);
        rows->work[i] = (1 + ag_random_uniform(r)) / (2 * ENTRIES);
    }
    for (int c = 0; c < d->configs; c++) rows->first[c + 1] = (c + 1) * ENTRIES;
    for (int e = 0; e < entries; e++) {
        rows->row[e] = (int)ag_random_below(r, ROWS);
        d->place[e] = (int32_t)ag_random_below(r, (uint32_t)g->nodes) * d->configs + e / ENTRIES;
    }
}

static inline void model_random_rows_free(model_data *d)
{
    void *const block[] = {d->rows.x,     d->rows.word, d->rows.work,
                           d->rows.first, d->rows.row,  d->place};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) free(block[i]);
}

/* Configurations of a graph; two of them tie. */
static inline model_data model_random_data(const model_graph *g, int configs, uint64_t seed)
{
    ag_random r = {seed, 2, 0};
    model_data d = {.configs = configs};
    const size_t digits = (size_t)(g->configurable * configs * TGRAPH_DIGITS);
    d.digit = calloc(digits + 1, sizeof *d.digit);
    d.rank = calloc((size_t)configs, sizeof *d.rank);
    for (size_t i = 0; i < digits; i++)
        d.digit[i] = 1 + (int32_t)ag_random_below(&r, TGRAPH_LAYOUT_ROWS - 1);
    for (int c = 0; c < configs; c++) d.rank[c] = c ? c - 1 : 0;
    ag_random_shuffle(&r, d.rank, configs);
    model_random_rows(&d, g, &r);
    return d;
}

static inline void model_random_free(model_graph *g, model_data *d)
{
    void *const block[] = {g->feature,     g->layout, g->opcode, g->edge,
                           g->config_node, d->digit,  d->rank};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) free(block[i]);
    model_random_rows_free(d);
}

#endif
