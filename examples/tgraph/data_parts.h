/* SPDX-License-Identifier: MIT */
/* What the data files share and the model does not see. */
#ifndef TGRAPH_DATA_PARTS_H
#define TGRAPH_DATA_PARTS_H

#include "core/internal.h"
#include "examples/tgraph/data.h"

/* An open npz with the arrays that are small enough to be held whole, checked. */
typedef struct tgraph_raw {
    ag_npz *npz;
    const char *path, *name; /* name: what sentences call the file */
    const tgraph_budget *budget;
    int nodes, edges, configurable; /* configurable is 0 in a tile file */
    int configs, has_runtimes;
    int32_t *opcode;      /* [nodes] */
    int32_t *edge;        /* [edges,2] */
    int32_t *config_node; /* [configurable] */
} tgraph_raw;

/* The path, or its end when it is too long for a sentence. */
const char *tgraph_short(const char *path);
const char *tgraph_base(const char *path);

/* A member of this rank and size (-1: any), or NULL with a sentence; `means` says what the sizes
   count. */
const ag_array_info *tgraph_member(const tgraph_raw *raw, const char *name, ag_shape size,
                                   const char *means, ag_failure *why);

/* Opens the file and checks node_feat's shape, node_opcode and edge_index. */
ag_status tgraph_raw_open(tgraph_raw *raw, const char *path, const tgraph_budget *budget,
                          int opcodes, ag_failure *why);
ag_status tgraph_raw_config_nodes(tgraph_raw *raw,
                                  ag_failure *why); /* node_config_ids and node_splits */
/* Run times into [configs] that the caller owns; sets has_runtimes. */
ag_status tgraph_raw_runtimes(tgraph_raw *raw, int64_t *runtime, ag_failure *why);
ag_status tgraph_raw_positive(const tgraph_raw *raw, const char *name, const int64_t *value,
                              ag_failure *why);
/* Inflates every member not in `read` (NULL-terminated) once, for its CRC. */
ag_status tgraph_raw_verify(tgraph_raw *raw, const char *const *read, ag_failure *why);
void tgraph_raw_close(tgraph_raw *raw);

/* Reads a member that is held whole; NULL with a sentence. Release it with ag__free. */
void *tgraph_raw_read(const tgraph_raw *raw, const char *name, ag_dtype as, int64_t count,
                      ag_failure *why);

/* Memory that a file keeps: counted in *bytes and in the budget. NULL with a sentence. */
void *tgraph_take(tgraph_budget *budget, size_t *bytes, size_t count, size_t size, const char *name,
                  ag_failure *why);
ag_status tgraph_no_memory(const char *name, size_t bytes, ag_failure *why);
/* Fails when so many more bytes would exceed the limit. */
ag_status tgraph_fits(const tgraph_budget *budget, size_t bytes, const char *name, const char *what,
                      ag_failure *why);

/* Fills a graph from the raw arrays, pruned or not; node_feat is streamed. */
ag_status tgraph_graph_build(tgraph_graph *graph, tgraph_raw *raw,
                             const tgraph_data_options *options, tgraph_budget *budget,
                             size_t *bytes, ag_failure *why);
void tgraph_graph_free(tgraph_graph *graph);

/* Streams node_config_feat into file->store, de-duplicated as asked. */
ag_status tgraph_configs_read(tgraph_file *file, tgraph_raw *raw, tgraph_dedup dedup,
                              ag_failure *why);

/* x = sign(x) ln(1 + |x|): products of sizes and their sums come to one scale. */
void tgraph_take_logs(float *x, int64_t n);

#endif
