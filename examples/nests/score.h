/* SPDX-License-Identifier: MIT */
/* Scores of items by a model. */
#ifndef NESTS_SCORE_H
#define NESTS_SCORE_H

#include "examples/nests/model.h"

enum { NESTS_BY_BOTH, NESTS_BY_NETWORK, NESTS_BY_TREES, NESTS_BY_WORK, NESTS_SCORES };

typedef struct nests_scorer {
    const nests_model *model;
    ag_tape *tape;
    int items;             /* most of a batch; scores do not depend on it */
    bool patient;          /* continues after an interruption */
    harness_progress *bar; /* goes on after each batch */
} nests_scorer;

/* score[k][i] += weight times ln(run time in ns) of the items that are scored, group after group:
   by the model, by its network and its trees alone, and by work without a factor. What the model
   has not stays as it was. The tape is set back to training mode. Fails: AG_ESTOPPED, unless
   patient; AG_EFINITE, AG_EMEMORY, and as the maker. */
ag_status nests_score(const nests_scorer *s, double *const score[NESTS_SCORES],
                      const nests_set *set, double weight, ag_failure *why);

#endif
