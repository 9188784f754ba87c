/* SPDX-License-Identifier: MIT */
/* TGraph as the harness sees it (examples/harness/run/model.h). */
#ifndef TGRAPH_SHELL_H
#define TGRAPH_SHELL_H

#include "examples/harness/run/loader.h"
#include "examples/harness/run/model.h"
#include "examples/tgraph/results.h"

/* ---- checkpoints ---- */

/* The network and what else its checkpoint holds. */
typedef struct tgraph_trained {
    tgraph_model model;
    tgraph_data_options features; /* how those were made: prune, repad, logs */
    tgraph_scaler scaler;         /* of nodes */
    double split;                 /* what the run held out of its files, and how it read them */
    int64_t split_seed;
    int dedup;
} tgraph_trained;

/* The training files with their hashes: JSON, owned by the caller (harness_free). */
char *tgraph_files_json(const tgraph_set *set);

/* 1 if the JSON names a file of this name and hash (NULL: whatever it held). */
int tgraph_files_has(const char *files, const char *name, const uint64_t *hash);

/* ---- data and steps ---- */

typedef struct tgraph_files {
    tgraph_set set;
    tgraph_set fit;   /* what the baselines of `eval` learn from */
    int training;     /* 1: of a training run, standardised for its network */
    const char *name; /* of what scores them, as tgraph_model_name */
} tgraph_files;

/* The data and scratch of the steps and validations of a run. */
typedef struct tgraph_steps {
    tgraph_file **file; /* [files] those trained on */
    int files;
    tgraph_source source;
    tgraph_batch buffer[2]; /* prepared one step ahead */
    harness_loader *loader; /* of these */
    ag_real *target;        /* of the loss of a step */
    tgraph_scorer scorer;
    harness_rank rank;           /* a validation: a sample of the configurations of each file */
    const tgraph_entry **scored; /* [rank.groups] */
} tgraph_steps;

extern const harness_model tgraph_shell;
extern const harness_network tgraph_shell_network; /* checkpoint.c */

/* The parts of tgraph_shell that are in inspect.c and scored.c. */
ag_status tgraph_inspect(harness_inspection *to, const char *path, ag_failure *why);
ag_status tgraph_shell_read_scored(void *data, const harness_runs *runs,
                                   const harness_settings *settings, bool known, ag_failure *why);
ag_status tgraph_shell_read_fit(void *data, const harness_runs *runs,
                                const harness_settings *settings, ag_failure *why);

#endif
