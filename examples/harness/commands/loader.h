/* SPDX-License-Identifier: MIT */
/* A background thread that prepares the next batch. */
#ifndef HARNESS_LOADER_H
#define HARNESS_LOADER_H

#include "examples/harness/model/model.h"

/* Prepares the batch of that number in a buffer. Runs on the loader's thread. */
typedef ag_status (*harness_fill)(void *source, int64_t number, void *buffer, ag_failure *why);
typedef struct harness_loader harness_loader;

/* Fills two buffers in turn with these batches: a thread prepares the next batch while the caller
   uses the one before it. Without a thread (threaded false, or none could be started) the same
   batches are prepared on demand. */
harness_loader *harness_loader_new(harness_fill fill, void *source, void *buffer0, void *buffer1,
                                   const harness_batches *batches, bool threaded);
/* The buffer of the next batch, valid until the next call; NULL: that batch failed, and so do later
   calls. */
void *harness_loader_next(harness_loader *loader, ag_failure *why);
/* Joins the thread; the buffers stay the caller's. */
void harness_loader_free(harness_loader *loader);

#endif
