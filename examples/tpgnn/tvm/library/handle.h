/* SPDX-License-Identifier: MIT */
/* The struct that a handle of the library points to, and the model in it. */
#ifndef TPGNN_LIBRARY_HANDLE_H
#define TPGNN_LIBRARY_HANDLE_H

#include "examples/tpgnn/tvm/library/augur_tpgnn.h"
#include "examples/tpgnn/model/model.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- stored.c ---- */

struct json_t;

enum {
    TPGNN_STORED_CONFIGURATION,
    TPGNN_STORED_DATA,
    TPGNN_STORED_VOCABULARY,
    TPGNN_STORED_SEEN,
    TPGNN_STORED_TEXTS
};

/* A trained model as its checkpoint has it. The programs read checkpoints with their table of
   options, and end when there is no memory; a tuner's process must live, so this reads what a model
   needs and gives every failure back. */
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

/* The model's options among those of a run (the metadata "configuration"). The sizes of the
   vocabulary are 1. name: what sentences call the text. Fails: AG_EDATA (no object; a missing
   option, another type or word), AG_EMEMORY. Sizes are checked by tpgnn_model_add. */
ag_status tpgnn_stored_options(tpgnn_options *o, const struct json_t *configuration,
                               const char *name, ag_failure *why);

/* ---- library.c ---- */

/* Idle tapes; NULL: none. A tape remembers plans and memory, so calls take one from here. */
enum { TPGNN_TAPES = 32 };
typedef _Atomic(ag_tape *) tpgnn_tapes[TPGNN_TAPES];

struct augur_tpgnn {
    tpgnn_stored stored;
    pthread_rwlock_t parameters; /* read by predictions, written by updates */
    tpgnn_tapes tapes;
    tpgnn_data seen; /* the graphs that updates remember; their task is the caller's number */
    int64_t step;    /* of all updates */
};

/* The default mode of floating point for a call; afterwards fesetenv sets the caller's. */
void tpgnn_library_enter(fenv_t *caller);

/* Records the sentence of a failure for augur_tpgnn_error and returns its code. */
int tpgnn_library_failed(const ag_failure *why);

/* The arrays of a call. Fails: AG_EUSE (NULL, counts out of range). */
ag_status tpgnn_library_arrays(tpgnn_arrays *arrays, const augur_tpgnn_graphs *graphs,
                               const char *name, ag_failure *why);

/* Zeros for `count` elements, given back with ag_free. NULL with a sentence (AG_EMEMORY): the
   library never ends the process that it works in. */
void *tpgnn_library_take(size_t count, size_t size, const char *name, ag_failure *why);

/* A tape to work on; NULL: no memory. */
ag_tape *tpgnn_tapes_take(tpgnn_tapes tapes);
void tpgnn_tapes_give(tpgnn_tapes tapes, ag_tape *tape);

#endif
