/* SPDX-License-Identifier: MIT */
/* The contents of a TGraph checkpoint besides its parameters (docs/formats.md). */
#ifndef TGRAPH_CHECKPOINT_H
#define TGRAPH_CHECKPOINT_H

#include "examples/tgraph/data/set.h"

/* The network and what else its checkpoint holds. */
typedef struct tgraph_trained {
    tgraph_model model;
    tgraph_data_options features; /* how those were made: prune, repad, logs */
    tgraph_scaler scaler;         /* of nodes */
    double split;                 /* what the run held out of its files, and how it read them */
    int64_t split_seed;
    int dedup;
} tgraph_trained;

/* Features in JSON, owned by the caller (harness_free). */
char *tgraph_features_json(const tgraph_data_options *f);

/* The training files with their hashes: JSON, owned by the caller (harness_free). */
char *tgraph_files_json(const tgraph_set *set);

/* 1 if the JSON names a file of this name and hash (NULL: whatever it held). */
int tgraph_files_has(const char *files, const char *name, const uint64_t *hash);

#endif
