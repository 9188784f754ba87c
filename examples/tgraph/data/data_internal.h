/* SPDX-License-Identifier: MIT */
/* Declarations for the data files. The model does not see them. */
#ifndef TGRAPH_DATA_PARTS_H
#define TGRAPH_DATA_PARTS_H

#include "core/io/io.h"
#include "examples/tgraph/data/data.h"

/* Fills a graph from the raw arrays, pruned or not; node_feat is streamed. */
ag_status tgraph_graph_build(tgraph_graph *graph, tpugraphs_raw *raw,
                             const tgraph_data_options *options, size_t *bytes, ag_failure *why);
void tgraph_graph_free(tgraph_graph *graph);

/* Streams node_config_feat into file->store, de-duplicated as asked. */
ag_status tgraph_configs_read(tgraph_file *file, tpugraphs_raw *raw, tgraph_dedup dedup,
                              ag_failure *why);

/* Fills the rows of a batch whose configurations are set. */
ag_status tgraph_batch_join(tgraph_batch *batch, ag_failure *why);

#endif
