/* SPDX-License-Identifier: MIT */
/* Scores of configurations by a model, and how well they rank. */
#ifndef TGRAPH_SCORE_H
#define TGRAPH_SCORE_H

#include "examples/tgraph/data/set.h"

/* How to score: `configs` together, and the mean over `tta` permutations (0: the given order). */
typedef struct tgraph_scorer {
    const tgraph_model *model;
    ag_tape *tape;
    int configs, tta;
    int patient;           /* 1: continues after an interruption */
    tgraph_batch batch;    /* scratch: start from {0}, and free it */
    int32_t *chosen;       /* of a chunk, during a call */
    harness_progress *bar; /* goes on from `before` after each chunk; NULL: none does */
    int64_t before;
} tgraph_scorer;

/* score[i] is that of the entry's configuration item[i] (NULL: i), i < count. The tape is set back
   to training mode. Fails: AG_ESTOPPED, unless `patient` is 1, and AG_EFINITE, AG_EMEMORY. */
ag_status tgraph_score(tgraph_scorer *s, const tgraph_entry *e, const int32_t *item, int count,
                       double *score, ag_failure *why);

#endif
