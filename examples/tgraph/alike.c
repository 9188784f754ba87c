/* SPDX-License-Identifier: MIT */
/* Why all scores of a file may be equal. */
#include "examples/tgraph/results.h"

#include <string.h>

static bool same_inputs(const tgraph_entry *e)
{
    size_t bytes;
    const void *first = tgraph_file_inputs(&bytes, e->file, tgraph_entry_item(e, 0));
    for (int i = 1; i < e->items; i++)
        if (memcmp(first, tgraph_file_inputs(&bytes, e->file, tgraph_entry_item(e, i)), bytes) != 0)
            return false;
    return true;
}

const char *tgraph_results_alike(const void *results, int group)
{
    const tgraph_results *r = results;
    const tgraph_entry *e = r->entry[group];
    const tgraph_file *f = e->file;
    if (same_inputs(e)) return "its configurations do not differ in what the model reads";
    if (f->graph.nodes == 1)
        return "the network reads how nodes differ from each other, and pruning leaves one "
               "node of the graph";
    return NULL;
}
