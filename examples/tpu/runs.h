/* SPDX-License-Identifier: MIT */
/* Trained models: one run, or several whose scores are averaged. */
#ifndef TPU_RUNS_H
#define TPU_RUNS_H

#include "examples/tpu/checkpoint.h"
#include "examples/tpu/results.h"

typedef struct tpu_trained {
    char *path; /* of the checkpoint */
    tpu_model model;
    tpu_checkpoint checkpoint;
} tpu_trained;

typedef struct tpu_runs {
    tpu_trained *run;
    int count;
    ag_tape *tape;
} tpu_runs;

/* Loads the checkpoints of --run and --ensemble. Start from {0}; close in any case. */
ag_status tpu_runs_open(tpu_runs *runs, const tpu_settings *s, ag_failure *why);
void tpu_runs_close(tpu_runs *runs);

/* Reads what --data names, which must be of the models' task. */
ag_status tpu_runs_read(const tpu_runs *runs, tpu_data *data, const tpu_settings *s,
                        ag_failure *why);

/* Mean of the scores of all runs. */
ag_status tpu_runs_score(const tpu_runs *runs, tpu_results *r, const tpu_settings *s,
                         ag_failure *why);

#endif
