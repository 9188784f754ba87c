/* SPDX-License-Identifier: MIT */
/* A background thread that works one step ahead, in two buffers. */
#define _GNU_SOURCE
#include "examples/harness/run/loader.h"
#include "core/core.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

struct harness_loader {
    harness_fill fill;
    void *source;
    void *buffer[2];
    ag_failure failure[2]; /* of the step in the buffer */
    int filled[2];         /* 1: buffer and failure belong to the consumer, 0: to the thread */
    int64_t first, next;   /* next: the step that the consumer gets next */
    int threaded, quit;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static int turn(const harness_loader *l, int64_t step) { return (int)((step - l->first) & 1); }

/* Waits until the consumer has handed buffer b back; 0: the loader is being freed. */
static int await_empty(harness_loader *l, int b)
{
    pthread_mutex_lock(&l->lock);
    while (l->filled[b] && !l->quit) pthread_cond_wait(&l->changed, &l->lock);
    int go = !l->quit;
    pthread_mutex_unlock(&l->lock);
    return go;
}

static void hand_over(harness_loader *l, int b)
{
    pthread_mutex_lock(&l->lock);
    l->filled[b] = 1;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static void *work(void *context)
{
    harness_loader *l = context;
    ag_status status = AG_OK;
    for (int64_t step = l->first; !status; step++) {
        int b = turn(l, step);
        if (!await_empty(l, b)) break;
        status = l->fill(l->source, step, l->buffer[b], &l->failure[b]);
        hand_over(l, b);
    }
    return NULL;
}

/* `fill` also runs in the main thread, which has a stack of megabytes; that of threads may be 128
   KiB by default. */
enum { STACK = 1 << 20 };

static int create(harness_loader *l)
{
    pthread_attr_t large;
    size_t bytes = STACK;
    if (pthread_attr_init(&large)) return pthread_create(&l->thread, NULL, work, l);
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
                                   int64_t first, int threaded, ag_failure *why)
{
    harness_loader *l = ag_alloc(sizeof *l);
    if (!l) {
        ag_fail(why, AG_EMEMORY, "loader: no memory for %zu bytes; close other programs",
                sizeof *l);
        return NULL;
    }
    memset(l, 0, sizeof *l);
    l->fill = fill;
    l->source = source;
    l->buffer[0] = buffer0;
    l->buffer[1] = buffer1;
    l->first = l->next = first;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    l->threaded = threaded && start(l);
    return l;
}

/* Hands the buffer of the previous step back and waits until b holds its step. */
static void await_filled(harness_loader *l, int b)
{
    pthread_mutex_lock(&l->lock);
    if (l->next > l->first) l->filled[!b] = 0;
    pthread_cond_broadcast(&l->changed);
    while (!l->filled[b]) pthread_cond_wait(&l->changed, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

void *harness_loader_next(harness_loader *l, ag_failure *why)
{
    int b = turn(l, l->next);
    const ag_failure *failure = &l->failure[b];
    if (l->threaded)
        await_filled(l, b);
    else if (!failure->status)
        l->fill(l->source, l->next, l->buffer[b], &l->failure[b]);
    if (failure->status) {
        ag_fail(why, failure->status, "%s", failure->sentence);
        return NULL;
    }
    l->next++;
    return l->buffer[b];
}

void harness_loader_free(harness_loader *l)
{
    if (!l) return;
    if (l->threaded) {
        pthread_mutex_lock(&l->lock);
        l->quit = 1;
        pthread_cond_broadcast(&l->changed);
        pthread_mutex_unlock(&l->lock);
        pthread_join(l->thread, NULL);
    }
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    ag_free(l);
}
