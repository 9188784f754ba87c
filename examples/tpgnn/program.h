/* SPDX-License-Identifier: MIT */
/* The program `tpgnn`: its options, and what its commands are. */
#ifndef TPGNN_PROGRAM_H
#define TPGNN_PROGRAM_H

#include "examples/harness/trainer.h"
#include "examples/tpgnn/model.h"

#define TPGNN_VERSION "0.1.0"

/* All options, by the names of options.c. */
enum {
    TPGNN_LOSS_PAIRS,
    TPGNN_LOSS_HINGE,
    TPGNN_LOSS_LAMBDA,
    TPGNN_LOSS_HUBER,
    TPGNN_LOSS_SQUARED
};
/* What huber and squared predict: the run time in seconds, standardised; ln(run time), the same; ln
   of the run time against the task's mean; fastest of the task / run time. */
enum { TPGNN_LABEL_COST, TPGNN_LABEL_LOG, TPGNN_LABEL_RELATIVE, TPGNN_LABEL_THROUGHPUT };

typedef struct tpgnn_settings {
    harness_common common;
    harness_training training;
    int preset;
    /* model */
    int network, types, readout, members, hidden, layers, edges, conv, pool;
    bool compact, nest;
    double ratio, dropout;
    /* training */
    int tasks, schedules, loss, label;
    bool balanced, mixed;
    double margin, top;
    /* scores */
    int eval_graphs, eval_nodes, checkpoint;
    bool baselines;
    harness_paths ensemble, fit;
    const char *csv;
    /* logs */
    harness_paths logs;
    int bad;
    int64_t line_limit;
} tpgnn_settings;

extern const harness_program tpgnn_program_table;

/* What the options say of the model; the vocabulary's sizes are 1. */
tpgnn_options tpgnn_settings_model(const tpgnn_settings *s);
/* What the model predicts, up to scale: a rank loss takes the throughput. */
int tpgnn_settings_label(const tpgnn_settings *s);

/* The commands. */
ag_status tpgnn_train_command(harness_call *call, ag_failure *why);
ag_status tpgnn_eval_command(harness_call *call, ag_failure *why);
ag_status tpgnn_predict_command(harness_call *call, ag_failure *why);
ag_status tpgnn_ablate_command(harness_call *call, ag_failure *why);
ag_status tpgnn_logs_command(harness_call *call, ag_failure *why);
ag_status tpgnn_inspect_command(harness_call *call, ag_failure *why);

#endif
