/* SPDX-License-Identifier: MIT */
/* Trained models: one run, or several whose scores are averaged. */
#ifndef TGRAPH_RUNS_H
#define TGRAPH_RUNS_H

#include "examples/tgraph/checkpoint.h"
#include "examples/tgraph/results.h"

typedef struct tgraph_trained {
    const char *folder;
    char *path; /* of the checkpoint */
    tgraph_model model;
    tgraph_checkpoint checkpoint;
} tgraph_trained;

typedef struct tgraph_runs {
    tgraph_trained *run;
    int count;
    ag_tape *tape;
} tgraph_runs;

/* Loads the checkpoints of --run and --ensemble. Start from {0}; close in any case. */
ag_status tgraph_runs_open(tgraph_runs *runs, const tgraph_settings *s, ag_failure *why);
void tgraph_runs_close(tgraph_runs *runs);

/* Fails unless every model knows the kind of files and features that this call reads. */
ag_status tgraph_runs_check(const tgraph_runs *runs, const tgraph_settings *s, int tile,
                            ag_failure *why);

/* Mean of the scores of all runs, for every file of the results. */
ag_status tgraph_runs_score(tgraph_runs *runs, const tgraph_settings *s, tgraph_set *set,
                            tgraph_results *results, ag_failure *why);

#endif
