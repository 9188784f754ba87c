/* SPDX-License-Identifier: MIT */
/* The TPU model as the harness sees it (examples/harness/model/model.h): what is trained, the files
   of a call and their scores. In tile files a kernel is a group of tile sizes, and the results have
   a row for each program with its kernels, as in Tables 2 and 8 of Kaufman et al. In fusion files a
   program is a group of kernels. */
#ifndef TPU_HOOKS_H
#define TPU_HOOKS_H

#include "examples/harness/rank/rank.h"
#include "examples/tpu/baseline/baselines.h"
#include "examples/tpu/program.h"

extern const harness_model tpu_hooks;
extern const harness_network tpu_hooks_network; /* checkpoint.c */

void tpu_inspect(harness_inspection *to, const void *files);

/* A tpu_data in JSON, owned by the caller (harness_free); of a harness_fit. */
char *tpu_data_json(const void *data);

/* ---- scores of a model ---- */

/* The contents of a checkpoint (docs/formats/tpu.md). */
typedef struct tpu_trained {
    tpu_model model;
    tpu_scaler scaler;
} tpu_trained;

/* score[first[k] + c] += the score of configuration c of kernel k / the number of models, where
   first[k] counts the configurations of the kernels before k. Fails: AG_ESTOPPED, unless `how`
   is patient; AG_EMEMORY, and as the tape. */
ag_status tpu_score(double *score, const tpu_data *data, const tpu_trained *net,
                    const harness_scoring *how, ag_failure *why);

/* ---- results ---- */

/* The data that the baselines learn from, and those that are scored. */
typedef struct tpu_files {
    tpu_data train, scored;
} tpu_files;

typedef struct tpu_results {
    harness_rank rank; /* first; scores of fused kernels are ns */
    const tpu_files *files;
    int models; /* added so far */
} tpu_results;

/* Adds the groups of the data to a zeroed rank. least: the shortest fused kernel that counts, ns.
 */
void tpu_results_groups(harness_rank *rank, const tpu_data *data, tpu_task task, int64_t least);

/* Functions of a harness_model. With the last of the models, `add` turns the mean of predicted
   ln(ns) into ns. */
void tpu_results_form(harness_rank_form *form, const void *net, const harness_settings *settings);
void tpu_results_open(void *results, void *files, const harness_settings *settings);
ag_status tpu_results_add(void *results, const harness_trained *trained, const harness_scoring *how,
                          ag_failure *why);

/* Why all scores of a kernel, or of the kernels of a program, may be equal. */
const char *tpu_results_alike(const void *results, int group);

/* Adds what noise leaves possible, as the files' manifests state it. */
void tpu_results_repeat(void *results);

/* Fits every baseline on the training kernels, if there are any, and scores with it. One that
   cannot be fitted is left out, with a warning. Fails: AG_EMEMORY, AG_EDATA, AG_ESTOPPED. */
ag_status tpu_results_baselines(void *results, ag_failure *why);

#endif
