/* SPDX-License-Identifier: MIT */
/* TPGNN as the harness sees it (examples/harness/run/model.h). */
#ifndef TPGNN_SHELL_H
#define TPGNN_SHELL_H

#include "examples/harness/run/loader.h"
#include "examples/harness/run/model.h"
#include "examples/tpgnn/results.h"
#include "examples/tpgnn/data/sampler.h"

/* The network and what else its checkpoint holds. */
typedef struct tpgnn_trained {
    tpgnn_model model;
    tpgnn_checkpoint checkpoint;
} tpgnn_trained;

/* The data of the steps of a run. */
typedef struct tpgnn_feed {
    tpgnn_sampler sampler;
    tpgnn_batch buffer[2];
    harness_loader *loader;
    const tpgnn_batch *batch; /* of the step */
    tpgnn_batch part;         /* some of its schedules, to see how many fit */
    ag_real *label;           /* [tasks * schedules] of the step's batch */
} tpgnn_feed;

extern const harness_model tpgnn_shell;

#endif
