/* SPDX-License-Identifier: MIT */
/* Trained models: one run, or several whose scores are averaged. */
#ifndef TPGNN_RUNS_H
#define TPGNN_RUNS_H

#include "examples/tpgnn/results.h"

typedef struct tpgnn_trained {
    char *path; /* of the checkpoint */
    tpgnn_model model;
    tpgnn_checkpoint checkpoint;
} tpgnn_trained;

typedef struct tpgnn_runs {
    tpgnn_trained *run;
    int count;
    ag_tape *tape;
} tpgnn_runs;

/* Loads the checkpoints of --run and --ensemble. Start from {0}; close in any case, after the data.
 */
ag_status tpgnn_runs_open(tpgnn_runs *runs, const tpgnn_settings *s, ag_failure *why);
void tpgnn_runs_close(tpgnn_runs *runs);

/* Reads what --data names; its kinds have the words of the first run. */
ag_status tpgnn_runs_read(const tpgnn_runs *runs, tpgnn_data *data, const tpgnn_settings *s,
                          ag_failure *why);

/* Mean of the scores of all runs, each with its own vocabulary. `data` is that of the results. */
ag_status tpgnn_runs_score(const tpgnn_runs *runs, tpgnn_results *r, tpgnn_data *data,
                           const tpgnn_settings *s, ag_failure *why);

#endif
