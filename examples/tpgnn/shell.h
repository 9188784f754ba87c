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

void tpgnn_inspect(harness_inspection *to, const void *files);

#endif
