/* SPDX-License-Identifier: MIT */
/* The files that the baselines of tgraph eval learn from. */
#ifndef TGRAPH_LEARN_H
#define TGRAPH_LEARN_H

#include "examples/tgraph/runs.h"

/* Start from {0}. */
typedef struct tgraph_learn {
    tpugraphs_paths paths;      /* of --fit, or the --data of the run */
    const tgraph_entry **entry; /* [count] of the set, in the order of the paths */
    int count;
    ag_failure missing; /* why the paths of the run are not there */
} tgraph_learn;

/* Lists the files and makes room for them in the set, before its first file is opened. Fails: for
   --fit that names what is not there or of another kind, or stands beside --no-baselines. */
ag_status tgraph_learn_paths(tgraph_learn *learn, tgraph_set *set, const tgraph_settings *s,
                             ag_failure *why);

/* Opens them behind the files that are scored, when one of those has no training part of its own.
   Those of the run must be all of its `files` (of its checkpoint), as they were then; else a
   warning asks for --fit, and there are none. Fails: when nothing can be learned from --fit. */
ag_status tgraph_learn_open(tgraph_learn *learn, tgraph_set *set, const char *files,
                            const tgraph_settings *s, ag_failure *why);
void tgraph_learn_close(tgraph_learn *learn);

#endif
