/* SPDX-License-Identifier: MIT */
/* TGraph as the harness sees it (examples/harness/model/model.h): checkpoints, data, scores. */
#ifndef TGRAPH_HOOKS_H
#define TGRAPH_HOOKS_H

#include "examples/harness/rank/rank.h"
#include "examples/tgraph/set.h"

extern const harness_model tgraph_hooks;

/* ---- checkpoints (checkpoint.c) ---- */

/* The network and what else its checkpoint holds. */
typedef struct tgraph_trained {
    tgraph_model model;
    tgraph_data_options features; /* how the run read its files */
    tgraph_scaler scaler;         /* of nodes */
    double split;                 /* what it held out of them */
    int64_t split_seed;
} tgraph_trained;

extern const harness_network tgraph_hooks_network;

/* The training files with their hashes: JSON, owned by the caller (harness_free). */
char *tgraph_files_json(const tgraph_set *set);

/* 1 if the JSON names a file of this name and hash (NULL: of any hash). */
int tgraph_files_has(const char *files, const char *name, const uint64_t *hash);

/* ---- data (hooks.c, scored.c) ---- */

/* A file is a group of configurations. */
typedef struct tgraph_files {
    tgraph_set set;
    tgraph_set fit; /* what the baselines of `eval` learn from */
    bool training;  /* of a training run, standardised for its network */
    /* Only in eval and predict. */
    const harness_runs *runs;
    const tgraph_settings *settings;
} tgraph_files;

/* Functions of a harness_model. */
ag_status tgraph_inspect(harness_inspection *to, const char *path, ag_failure *why);
ag_status tgraph_read_scored(void *files, const harness_runs *runs,
                             const harness_settings *settings, bool known, ag_failure *why);
ag_status tgraph_read_fit(void *files, const harness_runs *runs, const harness_settings *settings,
                          ag_failure *why);

/* ---- loss (loss.c) ---- */

/* The loss of a batch, a scalar, by --loss, --margin and --reduction: hinge (eq. 8), logistic and
   listmle over the order of its run times, or error: the mean square error of ln(run time) less its
   mean, over the variance of ln(run time). scores [configs], or those of several members, one after
   the other, of which it is the mean. */
ag_tensor *tgraph_loss(ag_tensor *scores, tgraph_batch *batch, const tgraph_settings *settings);

/* ---- scores (score.c) ---- */

/* A score is the mean over the permutations of --tta (0: only the given order) and over models. */
typedef struct tgraph_scorer {
    const tgraph_model *model;
    const harness_scoring *how;
    tgraph_batch batch;   /* scratch: start from {0}, and free it */
    int32_t *chosen;      /* of a chunk, during a call */
    harness_progress bar; /* of configurations, in each permutation */
} tgraph_scorer;

/* Adds to sum[i] the score of the entry's configuration item[i] (NULL: i), i < count. Fails:
   AG_ESTOPPED, unless patient, and AG_EFINITE, AG_EMEMORY. */
ag_status tgraph_score(tgraph_scorer *s, const tgraph_entry *e, const int32_t *item, int count,
                       double *sum, ag_failure *why);

/* ---- results (results.c) ---- */

enum { TGRAPH_CALIBRATES = 4096 };

/* Of a file that was split: training configurations, at most TGRAPH_CALIBRATES, evenly spread. */
typedef struct tgraph_calibration {
    int32_t *item; /* [count] */
    double *score; /* [count] to be filled in */
    int count;     /* 0: the file has no training part */
} tgraph_calibration;

/* Its memory is the rank's. */
tgraph_calibration tgraph_calibration_open(harness_rank *rank, const tgraph_entry *e);

typedef struct tgraph_results {
    harness_rank rank;               /* first */
    tgraph_files *files;             /* a group is one of them */
    const tgraph_entry **entry;      /* [rank.groups] */
    char **path;                     /* [rank.groups] borrowed; they differ, unlike their names */
    tgraph_calibration *calibration; /* [rank.groups] */
    int calibrated;                  /* the method of calibrated scores; 0: no file was split */
} tgraph_results;

/* Functions of a harness_model. A sample has at most --eval-limit configurations of a file, the
   same ones each time, and no calibration. Scores are calibrated by a rising step function to ranks
   among the training configurations, so that configurations on one step tie. Fails: AG_EFINITE, and
   as tgraph_score and harness_rank_compute. */
void tgraph_results_form(harness_rank_form *form, const void *net,
                         const harness_settings *settings);
void tgraph_results_open(void *results, void *files, const harness_settings *settings);
ag_status tgraph_results_add(void *results, const harness_trained *t, const harness_scoring *how,
                             ag_failure *why);
void tgraph_results_repeat(void *results);
const char *tgraph_results_alike(const void *results, int group);
ag_status tgraph_results_compute(void *results, ag_failure *why);
/* baseline/baselines.c: a file that was split is fitted by itself, on one-hot digits of its
   training part; all others share a fit on counts of digits of the files that are trained on, and
   have only random scores where there are none. Equal inputs and number of threads give equal
   results. Fails: as tgraph_fit_open. */
ag_status tgraph_results_baselines(void *results, ag_failure *why);

#endif
