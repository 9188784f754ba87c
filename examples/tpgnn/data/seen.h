/* SPDX-License-Identifier: MIT */
/* Element types of buffers and extents of loops: those of the training files, and those of other
   files that a model has not seen. */
#ifndef TPGNN_SEEN_H
#define TPGNN_SEEN_H

#include "examples/tpgnn/data/data.h"

/* Of the training files. Start from {0}, which knows nothing; tpgnn_seen_free. */
typedef struct tpgnn_seen {
    double least, most;       /* extents; 0: there are none */
    tpgnn_vocabulary buffers; /* the words of declared buffers */
} tpgnn_seen;

/* As the metadata of a checkpoint; the caller frees the text (harness_free). Fails: AG_EMEMORY. */
char *tpgnn_seen_json(const tpgnn_data *data, ag_failure *why);
/* Fails: AG_EDATA. */
ag_status tpgnn_seen_read(tpgnn_seen *seen, const char *text, ag_failure *why);
void tpgnn_seen_free(tpgnn_seen *seen);

/* Counts of other files. Extents and sizes that are no constants are not known; they are 0 in
   the files, and a model takes them for 1. */
typedef struct tpgnn_unseen {
    int64_t *nodes;               /* [kinds] */
    int64_t loops, outside;       /* all; those with an extent beyond what was seen */
    int64_t extents, no_constant; /* of loops, and sizes of buffers; those that are not known */
    double least, most;           /* extents of loops that are known; 0: there are none */
} tpgnn_unseen;

/* seen: NULL, or of another run. Free the result. */
tpgnn_unseen tpgnn_unseen_count(const tpgnn_data *data, const tpgnn_seen *seen);
void tpgnn_unseen_free(tpgnn_unseen *unseen);

#endif
