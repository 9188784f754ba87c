/* SPDX-License-Identifier: MIT */
/* The TPU model as the harness sees it (examples/harness/run/model.h). */
#ifndef TPU_SHELL_H
#define TPU_SHELL_H

#include "examples/harness/run/model.h"
#include "examples/tpu/data/scale.h"
#include "examples/tpu/program.h"
#include "examples/tpu/results.h"

extern const harness_model tpu_shell;
extern const harness_network tpu_shell_network; /* checkpoint.c */

void tpu_inspect(harness_inspection *to, const void *files);

/* The training data in JSON, owned by the caller (harness_free). */
char *tpu_data_json(const tpu_data *data);

#endif
