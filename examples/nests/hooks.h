/* SPDX-License-Identifier: MIT */
/* The model that nests trains, the contents of its checkpoints (docs/formats/nests.md), and the
   scores of a whole call: those of the model, and of each of its parts. */
#ifndef NESTS_HOOKS_H
#define NESTS_HOOKS_H

#include "examples/harness/rank/rank.h"
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

/* unseen.c: warns of programs or groups in which more than three quarters of the rows have a column
   further than 10 deviations from its mean in training. Fails: as the maker, AG_ESTOPPED. */
ag_status nests_warn_unseen(const nests_set *set, const nests_trained *net, const char *run,
                            ag_failure *why);

/* ---- scores ---- */

enum { NESTS_BY_BOTH, NESTS_BY_NETWORK, NESTS_BY_TREES, NESTS_BY_WORK, NESTS_SCORES };

/* score.c: adds ln(run time in ns) / models of each scored item, group after group, to score[k]: as
   predicted by the model, by its network, by its trees, and by work without a factor. The score of
   a part that the model lacks is that of work. Fails: AG_ESTOPPED, unless patient; AG_EMEMORY,
   and as the maker and the tape. */
ag_status nests_score(double *const score[NESTS_SCORES], const nests_model *model,
                      const nests_set *set, const harness_scoring *how, ag_failure *why);

typedef struct nests_results {
    harness_rank rank; /* first */
    const nests_files *files;
    double *by[NESTS_SCORES];    /* [items] of the parts; the first is the model's score */
    int models, networks, trees; /* added so far; how many of them have networks; how many have
                                    trees */
} nests_results;

/* Functions of a harness_model. Fails: as nests_score. */
void nests_results_form(harness_rank_form *form, const void *net, const harness_settings *settings);
void nests_results_open(void *results, void *files, const harness_settings *settings);
ag_status nests_results_add(void *results, const harness_trained *t, const harness_scoring *how,
                            ag_failure *why);
ag_status nests_results_compare(void *results, ag_failure *why);
void nests_results_repeat(void *results);

#endif
