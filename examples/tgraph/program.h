/* SPDX-License-Identifier: MIT */
/* The program `tgraph`: its options, and what its commands are. */
#ifndef TGRAPH_PROGRAM_H
#define TGRAPH_PROGRAM_H

#include "examples/harness/trainer.h"
#include "examples/tgraph/model.h"

#define TGRAPH_VERSION "0.1.0"

enum { TGRAPH_PART_AUTO, TGRAPH_PART_ALL, TGRAPH_PART_HELD };
enum { TGRAPH_LOSS_HINGE, TGRAPH_LOSS_LOGISTIC, TGRAPH_LOSS_LISTMLE };
enum { TGRAPH_FORMAT_SCORES, TGRAPH_FORMAT_CONTEST };

/* All options, by the names of options.c. */
typedef struct tgraph_settings {
    harness_common common;
    /* model */
    int hidden, direction, aggregate, residual;
    bool halve;
    bool cross, cross_input, channel, edges, l2, message;
    double dropout;
    /* data */
    int dedup, folds, fold;
    bool prune, repad, log_features;
    double split;
    int64_t split_seed;
    /* training */
    harness_training training;
    int64_t epochs;
    int configs, loss, reduction;
    double margin;
    bool decay_biases;
    /* scores and files */
    int eval_configs, eval_limit, tau, tta, checkpoint, part, format;
    bool baselines;
    harness_paths ensemble, fit;
    const char *csv;
} tgraph_settings;

extern const harness_program tgraph_program_table;

/* What the options say in the words of the parts below; tile: the kind of the data. */
tgraph_options tgraph_settings_model(const tgraph_settings *s, int tile);
tgraph_data_options tgraph_settings_data(const tgraph_settings *s, int tile);

/* The commands. */
ag_status tgraph_train_command(harness_call *call, ag_failure *why);
ag_status tgraph_eval_command(harness_call *call, ag_failure *why);
ag_status tgraph_predict_command(harness_call *call, ag_failure *why);
ag_status tgraph_inspect_command(harness_call *call, ag_failure *why);
ag_status tgraph_ablate_command(harness_call *call, ag_failure *why);

/* A whole call of the program; returns the exit code. */
int tgraph_main(int argc, char **argv);

#endif
