/* SPDX-License-Identifier: MIT */
/* The rows of loop nests of configurations, and how they join the nodes of a graph. */
#include "examples/harness/base/bag.h"
#include "core/error.h"
#include "examples/tgraph/data/data_internal.h"

/* Without the order many rows are wrong: on TpuGraphs' alexnet TGraph alone is better by far. */
void tgraph_rows_warn(bool *warned, const tgraph_file *f)
{
    if (!f->operations.ordered && !*warned)
        harness_warn("%s does not say in which order nodes take their operands, so its rows are a "
                     "guess; tgraph without --rows may rank such files better",
                     f->path);
    *warned |= !f->operations.ordered;
}

static void add(nests_rows *rows, const tgraph_file *f, int config)
{
    const uint32_t *word = tgraph_file_words(f, config);
    signed char *all = ((nests_layout_memory *)rows->memory)->digit, *digit = all;
    for (int v = 0; v < f->graph.configurable; v++) {
        int32_t row[TGRAPH_DIGITS];
        tgraph_unpack(row, word + (size_t)v * TGRAPH_WORDS);
        for (int k = 0; k < TGRAPH_DIGITS; k++) *digit++ = (signed char)(row[k] - 2);
    }
    nests_layout_add(rows, all);
}

void tgraph_rows_take(nests_rows *rows, const tgraph_file *f, bool by_node, const int32_t *config,
                      int count)
{
    nests_layout_open(rows, &f->operations, by_node);
    for (int i = 0; i < count; i++) add(rows, f, config ? config[i] : i);
}

/* The place of an entry is that of its node and configuration among the activations. */
static int32_t *find_places(tgraph_batch *b)
{
    const tgraph_graph *g = &b->file->graph;
    const nests_rows *rows = &b->rows;
    int32_t *place = HARNESS_TAKE(&b->memory, place, rows->first[rows->items]);
    for (int i = 0; i < rows->items; i++)
        for (int e = rows->first[i]; e < rows->first[i + 1]; e++) {
            const int kept = g->kept[rows->node[e]];
            place[e] = kept < 0 ? -1 : kept * b->configs + i;
        }
    return place;
}

ag_status tgraph_batch_join(tgraph_batch *b, ag_failure *why)
{
    const int nodes = b->file->graph.nodes;
    if (!b->joined || !b->joined->use) return AG_OK;
    if ((int64_t)nodes * b->configs >= INT32_MAX)
        return ag_fail(
            why, AG_EMEMORY,
            "%s: %d configurations of %d nodes are too many to score together; take fewer "
            "--configs or --eval-configs",
            harness_files_short(b->file->path), b->configs, nodes);
    tgraph_rows_take(&b->rows, b->file, true, b->config, b->configs);
    nests_joined_fill(&b->nests, b->joined, &b->rows, find_places(b), nodes * b->configs, NULL);
    return AG_OK;
}
