/* SPDX-License-Identifier: MIT */
/* The options and commands of the program `tpgnn`. */
#ifndef TPGNN_PROGRAM_H
#define TPGNN_PROGRAM_H

#include "examples/harness/model/model.h"
#include "examples/tpgnn/model/model.h"

#define TPGNN_VERSION "0.1.0"

/* All options, by the names of options.c. */
enum {
    TPGNN_LOSS_PAIRS,
    TPGNN_LOSS_HINGE,
    TPGNN_LOSS_LAMBDA,
    TPGNN_LOSS_HUBER,
    TPGNN_LOSS_SQUARED
};
/* The label that huber and squared predict: the run time in seconds, standardised; ln(run time),
   standardised; ln of the run time relative to the task's mean; fastest of the task / run time. */
enum { TPGNN_LABEL_COST, TPGNN_LABEL_LOG, TPGNN_LABEL_RELATIVE, TPGNN_LABEL_THROUGHPUT };

typedef struct tpgnn_settings {
    harness_settings harness; /* the options that the harness reads */
    int preset;
    const char *vectors; /* a file; NULL: the vectors that are built in */
    tpgnn_options model; /* without the words */
    /* training */
    int tasks, schedules, loss, label;
    bool balanced, mixed;
    double margin, top;
    /* scores */
    int eval_graphs, eval_nodes;
} tpgnn_settings;

extern const harness_program tpgnn_program_table;
extern const char tpgnn_preset_words[], tpgnn_presets[]; /* of studies/presets.ini, by CMake */

#endif
