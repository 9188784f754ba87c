/* SPDX-License-Identifier: MIT */
/* A background thread that works one batch ahead, in two buffers. */
#define _GNU_SOURCE
#include "examples/harness/commands/loader.h"
#include "core/error.h"
#include "examples/harness/base/base.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

struct harness_loader {
    harness_fill fill;
    void *source;
    void *buffer[2];
    ag_failure failure[2]; /* of the batch in the buffer */
    harness_batches batches;
    int64_t next;          /* how many the consumer has got */
    bool threaded, failed; /* failed: the consumer has got a failure, and nothing comes after it */
    atomic_bool quit;
    pthread_t thread;
    sem_t empty, filled; /* buffers that the thread may fill, and that the consumer may take */
};

/* Prepares the i-th batch in its buffer. */
static ag_status fill(harness_loader *l, int64_t i)
{
    const harness_batches *b = &l->batches;
    const int64_t mine = b->end - b->first, step = b->step + i / mine;
    const int64_t number = step * b->shards + b->first + i % mine;
    return l->fill(l->source, number, l->buffer[i & 1], &l->failure[i & 1]);
}

static void wait_for(sem_t *buffers)
{
    while (sem_wait(buffers)) continue; /* a signal came */
}

static void *work(void *context)
{
    harness_loader *l = context;
    ag_status status = AG_OK;
    for (int64_t i = 0; !status; i++) {
        wait_for(&l->empty);
        if (l->quit) break;
        status = fill(l, i);
        sem_post(&l->filled);
    }
    return NULL;
}

/* `fill` also runs in the main thread, which has a stack of megabytes; that of threads may be 128
   KiB by default. */
enum { STACK = 1 << 20 };

static int create(harness_loader *l)
{
    pthread_attr_t large;
    size_t bytes;
    pthread_attr_init(&large);
    pthread_attr_getstacksize(&large, &bytes);
    if (bytes < STACK) pthread_attr_setstacksize(&large, STACK);
    const int error = pthread_create(&l->thread, &large, work, l);
    pthread_attr_destroy(&large);
    return error && bytes < STACK ? pthread_create(&l->thread, NULL, work, l) : error;
}

/* Signals are blocked in the new thread, since an interrupt must reach the trainer. */
static int start(harness_loader *l)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = create(l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !error;
}

harness_loader *harness_loader_new(harness_fill fill, void *source, void *buffer0, void *buffer1,
                                   const harness_batches *batches, bool threaded)
{
    harness_loader *l = harness_alloc(sizeof *l);
    *l = (harness_loader){
        .fill = fill, .source = source, .buffer = {buffer0, buffer1}, .batches = *batches};
    sem_init(&l->empty, 0, 2);
    sem_init(&l->filled, 0, 0);
    l->threaded = threaded && !harness_is_guest() && start(l);
    return l;
}

/* Hands the buffer of the previous batch back. */
void *harness_loader_next(harness_loader *l, ag_failure *why)
{
    const int b = (int)(l->next & 1);
    if (l->threaded && !l->failed) {
        if (l->next) sem_post(&l->empty);
        wait_for(&l->filled);
    } else if (!l->failed) {
        fill(l, l->next);
    }
    const ag_failure *failure = &l->failure[b];
    l->failed = failure->status != AG_OK;
    if (l->failed) {
        ag_fail(why, failure->status, "%s", failure->sentence);
        return NULL;
    }
    l->next++;
    return l->buffer[b];
}

void harness_loader_free(harness_loader *l)
{
    if (!l) return;
    l->quit = true;
    sem_post(&l->empty);
    if (l->threaded) pthread_join(l->thread, NULL);
    sem_destroy(&l->empty);
    sem_destroy(&l->filled);
    harness_free(l);
}
