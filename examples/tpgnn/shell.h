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

/* unseen.c: warnings of extents that are not known; and of all in the files that are scored that
   training of the run, a path, had not (fails: AG_EMEMORY, AG_ESTOPPED). */
void tpgnn_warn_unknown(const tpgnn_data *data);
ag_status tpgnn_warn_unseen(const tpgnn_data *scored, const tpgnn_trained *net, const char *run,
                            ag_failure *why);

void tpgnn_inspect(harness_inspection *to, const void *files);

#endif
