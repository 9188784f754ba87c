/* SPDX-License-Identifier: MIT */
/* The handle, and functions that the files of the library share. */
#ifndef LIBRARY_HANDLE_H
#define LIBRARY_HANDLE_H

#include "examples/harness/harness.h"
#include "examples/harness/model/trained.h"
#include "examples/library/augur_models.h"

#include <pthread.h>

struct augur_models {
    harness_trained trained;
    char *about;                 /* text of augur_models_describe */
    pthread_rwlock_t parameters; /* read by predictions, written when an update is done */
    pthread_mutex_t update;      /* held by an update: one runs at a time */
};

/* ---- library.c ---- */

/* Runs a call as harness_guest does, with the C locale and the default floating-point mode, and
   returns its code. `why` may have failed already: then nothing runs. */
int library_call(ag_status (*call)(void *context, ag_failure *why), void (*close)(void *context),
                 void *context, ag_failure *why);

/* The options of the run for a command of its program, without its files. The caller frees them. */
harness_options *library_options(const harness_trained *trained, unsigned command, ag_failure *why);

/* ---- items.c ---- */

/* The items of a call as files. Start with `given`; always close it. */
typedef struct library_items {
    const augur_models_items *given;
    FILE *file; /* of the arrays, in memory */
    char path[32];
} library_items;

/* Checks counts and pointers. Fails: AG_EUSE. */
ag_status library_items_check(const augur_models_items *items, const char *call, ag_failure *why);
/* Sets --data to the items, after writing arrays to a file in memory. Fails: AG_EUSE, AG_EDATA (an
   array that no file can hold), AG_EMEMORY. */
ag_status library_items_open(library_items *items, harness_options *options, ag_failure *why);
void library_items_close(library_items *items);
/* For items from arrays, these two put "items" in place of the path of the file in memory: in a
   group's name, and in the sentence and the warnings of the call. */
const char *library_items_name(const library_items *items, const char *group);
void library_items_rename(const library_items *items, ag_failure *why);

#endif
