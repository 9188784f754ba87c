/* SPDX-License-Identifier: MIT */
/* TGraph as the harness sees it (examples/harness/run/model.h). */
#ifndef TGRAPH_SHELL_H
#define TGRAPH_SHELL_H

#include "examples/harness/run/model.h"
#include "examples/tgraph/checkpoint.h"
#include "examples/tgraph/data/feed.h"
#include "examples/tgraph/baseline/learn.h"
#include "examples/tgraph/results.h"

/* The network and what else its checkpoint holds. */
typedef struct tgraph_trained {
    tgraph_model model;
    tgraph_checkpoint checkpoint;
} tgraph_trained;

typedef struct tgraph_files {
    tgraph_set set;
    tgraph_learn learn; /* of eval */
    int training;       /* 1: of a training run, standardised for its network */
} tgraph_files;

/* The data and scratch of the steps and validations of a run. */
typedef struct tgraph_steps {
    tgraph_feed feed;
    tgraph_work work; /* of the step */
    tgraph_scorer scorer;
    const tgraph_entry **scored; /* [scored_count] */
    int scored_count;
    int32_t **sample; /* [scored_count] configurations of a validation */
    int *samples;
    double *score; /* scratch, of the largest file */
} tgraph_steps;

extern const harness_model tgraph_shell;
extern const harness_network tgraph_shell_network; /* checkpoint.c */

/* The parts of tgraph_shell that are in scored.c, shell_results.c and contest.c. */
ag_status tgraph_shell_read_scored(void *data, const harness_runs *runs,
                                   const harness_settings *settings, bool graded, ag_failure *why);
ag_status tgraph_shell_read_fit(void *data, const harness_runs *runs,
                                const harness_settings *settings, ag_failure *why);
int tgraph_shell_measures(const char **name, const void *data, const harness_settings *settings);
void tgraph_shell_values(double *measure, const void *results);
int tgraph_shell_columns(const char **name, const harness_settings *settings, ag_failure *why);
int tgraph_shell_groups(const void *results);
harness_group tgraph_shell_group(const void *results, int index);
int tgraph_shell_tables(harness_table *table[HARNESS_TABLES], const void *results,
                        const char *title);
int tgraph_shell_method(const char **name, const char **note, const void *results, int k);
ag_status tgraph_shell_plot(const harness_session *session, const void *results, ag_failure *why);
void tgraph_shell_describe(harness_page *page, const harness_session *session, const void *results);
int tgraph_shell_write(FILE *to, const void *results, const harness_settings *settings,
                       ag_failure *why);

#endif
