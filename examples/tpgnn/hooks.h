/* SPDX-License-Identifier: MIT */
/* TPGNN as the harness sees it (examples/harness/model/model.h): what is trained, the files of a
   call and their scores. A task is a group of schedules. */
#ifndef TPGNN_HOOKS_H
#define TPGNN_HOOKS_H

#include "examples/harness/rank/rank.h"
#include "examples/tpgnn/program.h"

/* The data that baselines learn from, and those that are scored. */
typedef struct tpgnn_files {
    tpgnn_data train, scored;
} tpgnn_files;

extern const harness_model tpgnn_hooks;

/* ---- checkpoint.c ---- */

/* Facts about the training files; {0}: none. */
typedef struct tpgnn_seen {
    double least, most;       /* extents; 0: there are none */
    tpgnn_vocabulary buffers; /* the words of declared buffers */
} tpgnn_seen;

/* The network and what else its checkpoint holds (docs/formats/tpgnn.md). */
typedef struct tpgnn_trained {
    tpgnn_model model;
    tpgnn_vocabulary vocabulary; /* of training, owned, as is the next */
    tpgnn_seen seen;
    int predicts;           /* the label that the model predicts, of program.h */
    double mean, deviation; /* of the labels; 0 and 1: they are not scaled */
} tpgnn_trained;

extern const harness_network tpgnn_hooks_network;

/* A tpgnn_data in JSON, owned by the caller (harness_free); of a harness_fit. */
char *tpgnn_data_json(const void *data);

/* Sets `cost` to the ln(run time in ns) that a score means. Returns 1, or 0 if scores only rank. */
int tpgnn_log_cost(double *cost, const tpgnn_trained *net, double score);

/* ---- results.c, baselines.c ---- */

/* score [schedules]: the cost of each, which is small where a short run time is expected. Fails:
   AG_ESTOPPED, unless how->patient; AG_EMEMORY, and as the tape. */
ag_status tpgnn_score(double *score, const tpgnn_model *model, const harness_scoring *how,
                      const tpgnn_data *data, ag_failure *why);

typedef struct tpgnn_results {
    harness_rank rank; /* first */
    tpgnn_files *files;
    double *cost;      /* [schedules] predicted ln(ns) of the models that predict run times */
    int models, costs; /* added so far; how many of them predict run times */
} tpgnn_results;

/* Functions of a harness_model. For each run after the first the schedules are translated into its
   words. If the labels of all models give run times, the costs are the mean over the models. */
void tpgnn_results_form(harness_rank_form *form, const void *net, const harness_settings *settings);
void tpgnn_results_open(void *results, void *files, const harness_settings *settings);
ag_status tpgnn_results_add(void *results, const harness_trained *trained,
                            const harness_scoring *how, ag_failure *why);

/* The function harness_model.alike. */
const char *tpgnn_results_alike(const void *results, int group);

/* Adds what noise leaves possible, by the two passes of measurements. */
void tpgnn_results_repeat(void *results);

/* Scores with the baselines that can be fitted to the training schedules, if there are any; warns
   of others. Fails: AG_EMEMORY, AG_EDATA, AG_ESTOPPED. */
ag_status tpgnn_results_baselines(void *results, ag_failure *why);

/* The method next to the model in tables: the strongest of the baselines. */
#define TPGNN_AGAINST "XGBoost (TVM)"

/* ---- unseen.c, inspect.c ---- */

/* The facts of a tpgnn_seen about the data, as metadata of a checkpoint; the caller frees the text
   (harness_free). */
char *tpgnn_seen_json(const tpgnn_data *data);
/* Fails: AG_EDATA. */
ag_status tpgnn_seen_read(tpgnn_seen *seen, const char *text, ag_failure *why);

/* Warns of extents that are not known and, if run (a path) is not NULL, of all that its training
   did not have. Fails: AG_ESTOPPED. */
ag_status tpgnn_warn_unseen(const tpgnn_data *data, const tpgnn_trained *net, const char *run,
                            ag_failure *why);

void tpgnn_inspect(harness_inspection *to, const void *files);

#endif
