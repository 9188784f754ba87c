/* SPDX-License-Identifier: MIT */
/* A trained model as its checkpoint has it. The programs read checkpoints with their table of
   options, and end when there is no memory; a tuner's process must live, so this reads what a model
   needs and gives every failure back. */
#ifndef TPGNN_LIBRARY_STORED_H
#define TPGNN_LIBRARY_STORED_H

#include "examples/tpgnn/model/model.h"

struct json_t;

enum {
    TPGNN_STORED_CONFIGURATION,
    TPGNN_STORED_DATA,
    TPGNN_STORED_VOCABULARY,
    TPGNN_STORED_SEEN,
    TPGNN_STORED_TEXTS
};

typedef struct tpgnn_stored {
    tpgnn_model model;
    tpgnn_vocabulary vocabulary;
    char *text[TPGNN_STORED_TEXTS]; /* the metadata, kept for the next save; own */
    double mean, deviation, best;   /* of the labels; the best score of the run */
    int64_t step, best_step;
} tpgnn_stored;

/* Reads a checkpoint, or best.safetensors (else last.safetensors) of a run folder. Start from {0};
   free it in any case. Fails: AG_EFILE, AG_EDATA, AG_ESHAPE, AG_EFINITE, AG_EMEMORY. */
ag_status tpgnn_stored_open(tpgnn_stored *s, const char *path, ag_failure *why);
/* Writes the checkpoint that a program would write, without the state of the optimizer. Fails: as
   ag_params_save. */
ag_status tpgnn_stored_save(const tpgnn_stored *s, const char *path, ag_failure *why);
void tpgnn_stored_free(tpgnn_stored *s);

/* The model's options among those of a run (the metadata "configuration"); one that is not there
   has its default. The sizes of the vocabulary are 1. name: what sentences call the text. Fails:
   AG_EDATA (no object; another type or word). Sizes are checked by tpgnn_model_add. */
ag_status tpgnn_stored_options(tpgnn_options *o, const struct json_t *configuration,
                               const char *name, ag_failure *why);

#endif
