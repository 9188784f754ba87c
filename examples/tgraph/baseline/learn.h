/* SPDX-License-Identifier: MIT */
/* The files that steps, or the baselines of `tgraph eval`, learn from. */
#ifndef TGRAPH_LEARN_H
#define TGRAPH_LEARN_H

#include "examples/tgraph/checkpoint.h"

/* Start from {0}. */
typedef struct tgraph_learn {
    harness_files paths;        /* of --fit, or the --data of the run */
    const tgraph_entry **entry; /* [count] of the set: what a run is trained on, or baselines are */
    int count;
    ag_failure missing; /* why the files of the run could not be found */
} tgraph_learn;

/* Lists the files and makes room for them in the set, before its first file is opened. Fails: for
   --fit with a path that does not exist. */
ag_status tgraph_learn_paths(tgraph_learn *learn, tgraph_set *set, const tgraph_settings *s,
                             ag_failure *why);

/* Opens them after the files that are scored, when one of those has no training part of its own.
   Those of the run must be all of its `files` (of its checkpoint), unchanged; otherwise a warning
   asks for --fit, and none is used. Fails: when nothing can be learned from --fit. */
ag_status tgraph_learn_open(tgraph_learn *learn, tgraph_set *set, const char *files,
                            const tgraph_settings *s, ag_failure *why);
void tgraph_learn_close(tgraph_learn *learn);

#endif
