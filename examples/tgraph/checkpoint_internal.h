/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the checkpoint share. Texts are the caller's (harness_free). */
#ifndef TGRAPH_CHECKPOINT_PARTS_H
#define TGRAPH_CHECKPOINT_PARTS_H

#include "examples/tgraph/checkpoint.h"

/* Reads the options of the model and of the split from c->configuration. */
ag_status tgraph_configuration_parse(tgraph_checkpoint *c, const char *path, ag_failure *why);

char *tgraph_features_json(const tgraph_features *f);
ag_status tgraph_features_parse(tgraph_features *f, const char *path, const char *text,
                                ag_failure *why);

#endif
