/* SPDX-License-Identifier: MIT */
/* The contents of a checkpoint besides the network's parameters (docs/formats/nests.md). */
#ifndef NESTS_CHECKPOINT_H
#define NESTS_CHECKPOINT_H

#include "examples/nests/model.h"

typedef struct nests_trained {
    nests_model model;
    const nests_maker *kind;
    /* Of --split: its share and seed, and the groups that were split. */
    double split;
    int64_t split_seed;
    uint64_t *hash; /* [hashes] */
    int hashes;
} nests_trained;

extern const harness_network nests_network;

/* Whether the group was split in training. */
bool nests_trained_split(const nests_trained *net, uint64_t group);

/* Fails with AG_EUSE when the data are of another kind, or their rows have other columns, than
   those of the run (its path). */
ag_status nests_trained_check(const nests_trained *net, const nests_data *data, const char *run,
                              ag_failure *why);

/* unseen.c: warns of groups of which more than three quarters of the rows have a column further
   than 10 deviations from its mean in training. Fails: as the maker, AG_ESTOPPED. */
ag_status nests_warn_unseen(const nests_set *set, const nests_trained *net, const char *run,
                            ag_failure *why);

#endif
