/* SPDX-License-Identifier: MIT */
#ifndef TPU_BATCH_PARTS_H
#define TPU_BATCH_PARTS_H

#include "examples/tpu/model/batch.h"

/* Fills a graph whose arrays exist; its nodes are those of the samples or groups. */
void tpu_graph_fill(ag_graph *graph, const tpu_batch *batch, tpu_way way,
                    const tpu_batch_options *options);

/* Most messages that the graph of one kernel can have. */
static inline int64_t tpu_most_messages(const tpu_kernel *k, tpu_way way,
                                        const tpu_batch_options *options)
{
    return (int64_t)k->edges * (way == TPU_BOTH ? 2 : 1) + (options->loops ? k->nodes : 0);
}

#endif
