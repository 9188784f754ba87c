/* SPDX-License-Identifier: MIT */
/* The options and commands of the program `tpu`. */
#ifndef TPU_PROGRAM_H
#define TPU_PROGRAM_H

#include "examples/harness/model/model.h"
#include "examples/tpu/model/model.h"

#define TPU_VERSION "0.1.0"

/* TPU_LOSS_AUTO: the program chooses one of the others. */
enum { TPU_LOSS_AUTO, TPU_LOSS_HINGE, TPU_LOSS_LOGISTIC, TPU_LOSS_SQUARED };

/* All options, by the names of options.c. */
typedef struct tpu_settings {
    harness_settings harness; /* the options that the harness reads */
    int preset;
    tpu_options model; /* without the task */
    /* data */
    bool log_features, clamp, balanced;
    /* training */
    int kernels, configs, loss;
    double margin;
    /* scores */
    int eval_samples, eval_nodes;
    int64_t least;
    /* autotune */
    const char *families;
    harness_paths text;
    int programs, first, measurements, verify, search_steps, tiles, core;
    double milliseconds, minutes;
} tpu_settings;

extern const harness_program tpu_program_table;
extern const char tpu_preset_words[], tpu_presets[]; /* of studies/presets.ini, by CMake */

/* Sets the options that are left to the task as the paper found best for it. */
void tpu_settle(tpu_settings *s, tpu_task task);

/* In examples/tune. */
ag_status tpu_autotune_command(harness_call *call, ag_failure *why);

#endif
