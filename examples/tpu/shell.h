/* SPDX-License-Identifier: MIT */
/* The TPU model as the harness sees it (examples/harness/run/model.h). */
#ifndef TPU_SHELL_H
#define TPU_SHELL_H

#include "examples/harness/run/loader.h"
#include "examples/harness/run/model.h"
#include "examples/tpu/checkpoint.h"
#include "examples/tpu/results.h"
#include "examples/tpu/data/sampler.h"

/* The network and what else its checkpoint holds. */
typedef struct tpu_trained {
    tpu_model model;
    tpu_checkpoint checkpoint;
} tpu_trained;

/* The state of the steps of a run. */
typedef struct tpu_feed {
    tpu_sampler sampler;
    tpu_batch buffer[2];
    harness_loader *loader;
    const tpu_batch *batch; /* of the step */
    tpu_batch part;         /* some of its samples, to see how many fit */
} tpu_feed;

extern const harness_model tpu_shell;

#endif
