/* SPDX-License-Identifier: MIT */
/* The struct that a handle of the library points to. */
#ifndef TPGNN_LIBRARY_HANDLE_H
#define TPGNN_LIBRARY_HANDLE_H

#include "examples/tpgnn/tvm/library/augur_tpgnn.h"
#include "examples/tpgnn/tvm/library/stored.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>

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
