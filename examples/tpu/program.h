/* SPDX-License-Identifier: MIT */
/* The program `tpu`: its options, and what its commands are. */
#ifndef TPU_PROGRAM_H
#define TPU_PROGRAM_H

#include "examples/harness/trainer.h"
#include "examples/tpu/model.h"

#define TPU_VERSION "0.1.0"

enum { TPU_LOSS_AUTO, TPU_LOSS_HINGE, TPU_LOSS_LOGISTIC, TPU_LOSS_SQUARED };

/* All options, by the names of options.c. */
typedef struct tpu_settings {
    harness_common common;
    harness_training training;
    int preset;
    /* model */
    int hidden, embedding, gnn, reduction, direction, aggregate;
    int module_layers, gnn_layers, node_layers, heads, attention_heads, encoder_layers, feed;
    bool l2, module_l2, biases;
    int tile_at, analysis_at;
    double dropout;
    /* data */
    bool log_features, clamp, balanced;
    /* training */
    int kernels, configs, loss;
    double margin;
    /* scores */
    int eval_samples, eval_nodes, checkpoint;
    int64_t least;
    bool baselines;
    harness_paths ensemble, fit;
    const char *csv;
    /* autotune */
    const char *tile_run, *families;
    harness_paths text;
    int programs, first, measurements, verify, search_steps, start, tiles, core;
    double milliseconds, minutes;
} tpu_settings;

extern const harness_program tpu_program_table;

/* What the options say in the words of the parts. */
tpu_options tpu_settings_model(const tpu_settings *s, tpu_task task);
int tpu_settings_loss(const tpu_settings *s, tpu_task task);

/* The commands. */
ag_status tpu_train_command(harness_call *call, ag_failure *why);
ag_status tpu_eval_command(harness_call *call, ag_failure *why);
ag_status tpu_predict_command(harness_call *call, ag_failure *why);
ag_status tpu_inspect_command(harness_call *call, ag_failure *why);
ag_status tpu_ablate_command(harness_call *call, ag_failure *why);
ag_status tpu_autotune_command(harness_call *call, ag_failure *why);

#endif
