/* SPDX-License-Identifier: MIT */
/* Files and configurations for each step of a training run, as functions of (seed, step). */
#ifndef TGRAPH_FEED_H
#define TGRAPH_FEED_H

#include "examples/harness/run/loader.h"
#include "examples/tgraph/data/set.h"

/* The work of one step. */
typedef struct tgraph_work {
    const tgraph_entry *entry;
    const tgraph_batch *batch; /* layout files */
} tgraph_work;

typedef struct tgraph_feed {
    const tgraph_set *set;
    tgraph_file **file; /* those trained on */
    tgraph_source source;
    tgraph_batch buffer[2]; /* layout files */
    harness_loader *loader; /* layout files */
} tgraph_feed;

/* Begins with step `first`, counted from 0; joined: of tgraph_batch. Close in any case. */
ag_status tgraph_feed_open(tgraph_feed *feed, const tgraph_set *set, const nests_joined *joined,
                           int configs, uint64_t seed, int64_t first, ag_failure *why);
/* The work of the next step. */
ag_status tgraph_feed_next(tgraph_feed *feed, int64_t step, tgraph_work *work, ag_failure *why);
void tgraph_feed_close(tgraph_feed *feed);

#endif
