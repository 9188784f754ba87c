/* SPDX-License-Identifier: MIT */
/* Scores of a whole call: those of the model, and of its parts alone. */
#ifndef NESTS_RESULTS_H
#define NESTS_RESULTS_H

#include "examples/harness/rank/rank.h"
#include "examples/nests/checkpoint.h"

enum { NESTS_BY_BOTH, NESTS_BY_NETWORK, NESTS_BY_TREES, NESTS_BY_WORK, NESTS_SCORES };

/* score.c: score[k][i] += ln(run time in ns) / models of the items that are scored, group after
   group: by the model, by its network and its trees alone, and by work without a factor. What the
   model has not stays as it was. The tape is set back to training mode. Fails: AG_ESTOPPED, unless
   patient; AG_EFINITE, AG_EMEMORY, and as the maker. */
ag_status nests_score(double *const score[NESTS_SCORES], const nests_model *model,
                      const nests_set *set, const harness_scoring *how, ag_failure *why);

typedef struct nests_results {
    harness_rank rank; /* first */
    const nests_files *files;
    double *by[NESTS_SCORES];    /* [items] of the parts; the first is the model's score */
    int models, networks, trees; /* added so far; those of them with networks; with trees */
} nests_results;

/* Functions of a harness_model. Fails: as nests_score. */
void nests_results_form(harness_rank_form *form, const void *net, const harness_settings *settings);
void nests_results_open(void *results, void *files, const harness_settings *settings);
ag_status nests_results_add(void *results, const harness_trained *t, const harness_scoring *how,
                            ag_failure *why);
ag_status nests_results_compare(void *results, ag_failure *why);
void nests_results_repeat(void *results);

#endif
