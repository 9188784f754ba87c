/* SPDX-License-Identifier: MIT */
/* The TPU model as the harness sees it (examples/harness/run/model.h). */
#ifndef TPU_SHELL_H
#define TPU_SHELL_H

#include "examples/harness/run/model.h"
#include "examples/tpu/data/scale.h"
#include "examples/tpu/program.h"
#include "examples/tpu/results.h"

/* The contents of a checkpoint besides the model (docs/formats.md). */
typedef struct tpu_checkpoint {
    tpu_scaler scaler;
} tpu_checkpoint;

typedef struct tpu_trained {
    tpu_model model;
    tpu_checkpoint checkpoint;
} tpu_trained;

extern const harness_model tpu_shell;
extern const harness_network tpu_shell_network; /* checkpoint.c */

/* The training data in JSON, owned by the caller (harness_free). */
char *tpu_data_json(const tpu_data *data);

/* The parts of tpu_shell that are in shell_results.c. */
void tpu_shell_values(double *measure, const void *results);
int tpu_shell_columns(const char **name, const harness_settings *settings, ag_failure *why);
void tpu_shell_column_values(double *column, const void *results);
int tpu_shell_groups(const void *results);
harness_group tpu_shell_group(const void *results, int index);
int tpu_shell_tables(harness_table *table[HARNESS_TABLES], const void *results, const char *title);
int tpu_shell_method(const char **name, const char **note, const void *results, int k);
ag_status tpu_shell_plot(const harness_session *session, const void *results, ag_failure *why);
void tpu_shell_describe(harness_page *page, const harness_session *session, const void *results);

#endif
