/* SPDX-License-Identifier: MIT */
/* The scores of a whole call. A file is a group of configurations. */
#ifndef TGRAPH_RESULTS_H
#define TGRAPH_RESULTS_H

#include "examples/harness/rank/rank.h"
#include "examples/tgraph/data/set.h"

/* ---- scores (score.c) ---- */

/* How to score: `configs` together, and the mean over `tta` permutations (0: the given order). */
typedef struct tgraph_scorer {
    const tgraph_model *model;
    ag_tape *tape;
    int configs, tta;
    int patient;           /* 1: continues after an interruption */
    tgraph_batch batch;    /* scratch: start from {0}, and free it */
    int32_t *chosen;       /* of a chunk, during a call */
    harness_progress *bar; /* of configurations, in each permutation */
} tgraph_scorer;

/* score[i] is that of the entry's configuration item[i] (NULL: i), i < count. The tape is set back
   to training mode. Fails: AG_ESTOPPED, unless `patient` is 1, and AG_EFINITE, AG_EMEMORY. */
ag_status tgraph_score(tgraph_scorer *s, const tgraph_entry *e, const int32_t *item, int count,
                       double *score, ag_failure *why);

/* ---- calibration ---- */

enum { TGRAPH_CALIBRATES = 4096 };

/* Of a file that was split: training configurations, at most TGRAPH_CALIBRATES, evenly spread. */
typedef struct tgraph_calibration {
    int32_t *item; /* [count] */
    double *score; /* [count] to be filled in */
    int count;     /* 0: the file has no training part */
} tgraph_calibration;

/* Its memory is the rank's. */
tgraph_calibration tgraph_calibration_open(harness_rank *rank, const tgraph_entry *e);

/* ---- results ---- */

typedef struct tgraph_results {
    harness_rank rank;               /* first */
    struct tgraph_files *files;      /* that the groups are of */
    const tgraph_entry **entry;      /* [rank.groups] */
    char **path;                     /* [rank.groups] borrowed; they differ, unlike their names */
    tgraph_calibration *calibration; /* [rank.groups] */
    int calibrated;                  /* the method of calibrated scores; 0: no file was split */
} tgraph_results;

/* Words and measures; tau_a: instead of tau-b. */
harness_rank_form tgraph_results_form(int tau_a);

/* Adds configurations item[i] of an entry (NULL: i), i < count, as a group. */
void tgraph_results_group(harness_rank *rank, const tgraph_entry *e, const int32_t *item,
                          int count);

/* Opens zeroed results of the files of the set that are to be scored. */
void tgraph_results_open(tgraph_results *r, const char *name, const tgraph_set *set, int tau_a);

/* Adds the scores of one model, divided by `models`: call it once per model of an ensemble. */
ag_status tgraph_results_add(tgraph_results *r, tgraph_scorer *scorer, int models, ag_failure *why);

/* Adds what noise leaves possible, as the files' manifests state it. */
void tgraph_results_repeat(void *results);

/* harness_model.alike. */
const char *tgraph_results_alike(const void *results, int group);

/* Calibrates the scores: by a rising step function to ranks among the training configurations, so
   that configurations on one step tie; and computes the measures of all methods. Fails: AG_EFINITE,
   and as harness_rank_compute. */
ag_status tgraph_results_compute(void *results, ag_failure *why);

/* baseline/baselines.c: adds the baselines. A file that was split is fitted by itself, on one-hot
   digits of its training part; all others share a fit on counts of digits of the files of `learn`
   that are to be trained on, and have random scores alone where there are none. Equal inputs and
   number of threads give equal results. Fails: as tgraph_fit_open. */
ag_status tgraph_results_baselines(tgraph_results *r, const tgraph_set *learn, ag_failure *why);

#endif
