/* SPDX-License-Identifier: MIT */
/* The options and commands of the program `tgraph`. */
#ifndef TGRAPH_PROGRAM_H
#define TGRAPH_PROGRAM_H

#include "examples/harness/model/model.h"
#include "examples/tgraph/model/model.h"

#define TGRAPH_VERSION "0.1.0"

enum { TGRAPH_LOSS_HINGE, TGRAPH_LOSS_LOGISTIC, TGRAPH_LOSS_LISTMLE, TGRAPH_LOSS_ERROR };

/* All options, by the names of options.c. */
typedef struct tgraph_settings {
    harness_settings harness; /* the options that the harness reads */
    tgraph_options model;     /* `timed` follows from the loss */
    /* data */
    tgraph_data_options data;
    double split;
    int64_t split_seed;
    /* training */
    int preset;
    int64_t epochs;
    int configs, loss, reduction;
    double margin;
    /* scores and files */
    int eval_configs, eval_limit, tau, tta;
    /* import */
    harness_paths module;
    const char *import_configs;
    int unknown; /* hlo_unknown */
} tgraph_settings;

enum { TGRAPH_IMPORT = HARNESS_OWN };
ag_status tgraph_import_command(harness_call *call, ag_failure *why);

extern const harness_program tgraph_program_table;
extern const char tgraph_preset_words[], tgraph_presets[]; /* of studies/presets.ini, by CMake */

#endif
