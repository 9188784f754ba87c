/* SPDX-License-Identifier: MIT */
/* Why all scores of a file may be equal. */
#include "examples/tgraph/results.h"

#include <string.h>

static const void *inputs_of(const tgraph_entry *e, int config, size_t *bytes)
{
    const tgraph_store *s = e->file ? &e->file->store : NULL;
    *bytes = s ? (size_t)s->width * sizeof *s->word : TPUGRAPHS_TILE_FEATURES * sizeof(float);
    return s ? (const void *)(s->word + config * s->width)
             : e->tile->raw + (size_t)config * TPUGRAPHS_TILE_FEATURES;
}

static bool same_inputs(const tgraph_entry *e)
{
    size_t bytes;
    const void *first = inputs_of(e, tgraph_entry_item(e, 0), &bytes);
    int i = 1;
    while (i < e->items && !memcmp(first, inputs_of(e, tgraph_entry_item(e, i), &bytes), bytes))
        i++;
    return i == e->items;
}

const char *tgraph_results_alike(const void *results, int group)
{
    const tgraph_results *r = results;
    const tgraph_entry *e = r->entry[group];
    if (e->file && !e->graph->configurable) return "none of its nodes is configurable";
    if (same_inputs(e)) return "its configurations do not differ in what the model reads";
    if (e->file && e->graph->nodes == 1)
        return "the network reads how nodes differ from each other, and pruning leaves one "
               "node of the graph";
    return NULL;
}
