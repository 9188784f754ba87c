/* SPDX-License-Identifier: MIT */
/* TPGNN as the harness sees it (examples/harness/run/model.h). */
#ifndef TPGNN_SHELL_H
#define TPGNN_SHELL_H

#include "examples/harness/run/model.h"
#include "examples/tpgnn/results.h"

/* The network and what else its checkpoint holds. */
typedef struct tpgnn_trained {
    tpgnn_model model;
    tpgnn_checkpoint checkpoint;
} tpgnn_trained;

extern const harness_model tpgnn_shell;
extern const harness_network tpgnn_shell_network; /* checkpoint.c */

/* The parts of tpgnn_shell that are in shell_results.c. */
int tpgnn_shell_measures(const char **name, const void *data, const harness_settings *settings);
void tpgnn_shell_values(double *measure, const void *results);
int tpgnn_shell_columns(const char **name, const harness_settings *settings, ag_failure *why);
void tpgnn_shell_column_values(double *column, const void *results);
int tpgnn_shell_groups(const void *results);
harness_group tpgnn_shell_group(const void *results, int index);
int tpgnn_shell_tables(harness_table *table[HARNESS_TABLES], const void *results,
                       const char *title);
int tpgnn_shell_method(const char **name, const char **note, const void *results, int k);
ag_status tpgnn_shell_plot(const harness_session *session, const void *results, ag_failure *why);
void tpgnn_shell_describe(harness_page *page, const harness_session *session, const void *results);

#endif
