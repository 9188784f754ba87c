/* SPDX-License-Identifier: MIT */
/* Scores of a whole call: those of the model and of the baselines. A task is a group of
   schedules. */
#ifndef TPGNN_RESULTS_H
#define TPGNN_RESULTS_H

#include "examples/harness/rank/rank.h"
#include "examples/tpgnn/checkpoint.h"
#include "examples/tpgnn/score.h"

/* The data that baselines learn from, and those that are scored. */
typedef struct tpgnn_files {
    tpgnn_data train, scored;
    const char *name; /* of what scores them, as tpgnn_model_name */
} tpgnn_files;

typedef struct tpgnn_results {
    harness_rank rank; /* first */
    tpgnn_files *files;
    double *cost;      /* [schedules] predicted ln(ns) of the models that predict run times */
    int models, costs; /* added so far; those of them that do */
} tpgnn_results;

/* Functions of a harness_model; `add` needs the model as a scorer. Its costs are those that the
   checkpoint's labels give: the mean over the models, when all have them. Fails: as tpgnn_score. */
void tpgnn_results_open(void *results, void *files, const harness_settings *settings);
ag_status tpgnn_results_add(tpgnn_results *r, const tpgnn_scorer *scorer,
                            const tpgnn_checkpoint *checkpoint, int models, ag_failure *why);

/* Adds what noise leaves possible, by the two passes of measurements. */
void tpgnn_results_repeat(void *results);

/* Fits the baselines on the training schedules, if there are any, and scores with all of them. One
   that cannot be fitted is left out, with a warning. Fails: AG_EMEMORY, AG_EDATA,
   AG_ESTOPPED. */
ag_status tpgnn_results_baselines(void *results, ag_failure *why);

/* The method whose columns are next to the model's: the strongest of them. */
#define TPGNN_AGAINST "XGBoost (TVM)"

#endif
