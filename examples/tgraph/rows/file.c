/* SPDX-License-Identifier: MIT */
/* The rows of the configurations of a layout file. */
#include "examples/tgraph/rows/file.h"

#include "examples/harness/harness.h"

/* Without the order many rows are wrong: on TpuGraphs' alexnet TGraph alone is better by far. */
void nests_layout_warn(bool *warned, const tgraph_file *f)
{
    if (!f->operations.ordered && !*warned)
        harness_warn("%s does not say in which order nodes take their operands, so its rows are a "
                     "guess; tgraph without --rows may rank such files better",
                     f->path);
    *warned |= !f->operations.ordered;
}

static void add(nests_rows *rows, const tgraph_file *f, int config)
{
    const uint32_t *word = f->store.word + (int64_t)config * f->store.width;
    signed char *all = ((nests_layout_memory *)rows->memory)->digit, *digit = all;
    for (int v = 0; v < f->graph.configurable; v++) {
        int32_t row[TGRAPH_DIGITS];
        tgraph_unpack(row, word + (size_t)v * TGRAPH_WORDS);
        for (int k = 0; k < TGRAPH_DIGITS; k++) *digit++ = (signed char)(row[k] - 2);
    }
    tgraph_store_settle((tgraph_store *)&f->store, (size_t)f->store.width * sizeof *word);
    nests_layout_add(rows, all);
}

void nests_layout_take(nests_rows *rows, const tgraph_file *f, bool by_node, const int32_t *config,
                       int count)
{
    nests_layout_open(rows, &f->operations, by_node);
    for (int i = 0; i < count; i++) add(rows, f, config ? config[i] : i);
}
