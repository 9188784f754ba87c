/* SPDX-License-Identifier: MIT */
/* The caller rings the bell of each helper, a thread of the pool, when there is work. A helper
   comes in if the door is still open, and works. The caller works too, then shuts the door and
   waits only for the helpers inside: where other programs have the processors, helpers come late or
   not at all. */
#define _GNU_SOURCE
#include "core/parallel.h"
#include "core/float_mode.h"
#include "core/memory.h"
#include "core/room.h"
#include "core/stream.h"
#include "core/wait.h"

#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <string.h>

/* The state of a helper's bell. */
enum { LISTENS, SLEEPS, RUNG };

/* The door: the number of helpers inside, and whether it is open and whether the caller sleeps. */
enum { OPEN = 1 << 16, CALLER_SLEEPS = 1 << 17, INSIDE = OPEN - 1 };

typedef struct helper {
    alignas(128) atomic_uint bell; /* no two on neighbouring lines of a cache */
    pthread_t id;
    ag_room *room;
} helper;

static helper helpers[AG__MOST_THREADS];
static struct {
    alignas(128) atomic_uint door;
    alignas(128) atomic_int taken, stop;
    int started, most; /* helpers that run, that can be had; read and written by who has the pool */
    int registered;
    ag_arena *rooms; /* of all helpers there ever were */
    ag_block *body;  /* these four are read by helpers inside */
    void *context;
    int threads;
    uint64_t mode; /* all compute alike, whoever has which block */
} pool = {.most = AG__MOST_THREADS - 1};

/* ---- blocks ---- */

/* Each thread has a range of blocks of its own. Blocks that touch the same rows go to the same
   thread in every op, since its cache has these rows. A thread that is done helps the others with
   their ranges, and computes the range of a thread that has not come. */
typedef struct range {
    alignas(128) atomic_llong next; /* no two on neighbouring lines of a cache */
    int64_t end;
} range;

static range ranges[AG__MOST_THREADS]; /* of who has the pool */

static void run_range(range *of, int thread)
{
    int64_t block;
    while (atomic_load_explicit(&of->next, memory_order_relaxed) < of->end &&
           (block = atomic_fetch_add_explicit(&of->next, 1, memory_order_relaxed)) < of->end)
        pool.body(pool.context, block, thread);
}

static void run_blocks(int thread)
{
    for (int i = 0, t = thread; i < pool.threads; i++, t = t + 1 < pool.threads ? t + 1 : 0)
        run_range(&ranges[t], thread);
}

/* ---- helpers ---- */

static void listen(atomic_uint *bell)
{
    unsigned heard = LISTENS;
    if (!ag__wait_awake(bell, LISTENS) && atomic_compare_exchange_strong(bell, &heard, SLEEPS))
        while (atomic_load(bell) == SLEEPS) ag__wait_asleep(bell, SLEEPS);
    atomic_exchange(bell, LISTENS); /* before the look at the door: no ring after it is lost */
}

static int come_in(void)
{
    unsigned door = atomic_load(&pool.door);
    while (door & OPEN)
        if (atomic_compare_exchange_weak(&pool.door, &door, door + 1)) return 1;
    return 0;
}

static void go_out(void)
{
    ag__stream_end();
    if (atomic_fetch_sub(&pool.door, 1) == (CALLER_SLEEPS | 1)) ag__wake(&pool.door);
}

/* Touches no variable of its own thread unless inside: the first touch may want the lock that a
   program has while it unloads this library, and waits for this thread. */
static void *help(void *self)
{
    helper *h = self;
    for (;;) {
        listen(&h->bell);
        if (atomic_load(&pool.stop)) return NULL;
        if (!come_in()) continue;
        const int thread = (int)(h - helpers) + 1;
        if (thread < pool.threads) { /* else it was rung by a call before, which wanted more */
            ag__float_mode_set(pool.mode);
            ag__room_use(h->room);
            run_blocks(thread);
        }
        go_out();
    }
}

static void ring(helper *h)
{
    if (atomic_exchange(&h->bell, RUNG) == SLEEPS) ag__wake(&h->bell);
}

/* ---- the end of the process, or of the library in it ---- */

/* A child has the thread that made it, and no other. */
static void forget(void)
{
    atomic_store(&pool.door, 0);
    atomic_store(&pool.taken, 0);
    pool.started = 0;
}

/* Who has the pool while the process ends goes on with it, and the helpers end with the process. */
__attribute__((destructor)) static void stop(void)
{
    if (atomic_exchange(&pool.taken, 1)) return;
    atomic_store(&pool.stop, 1);
    for (int i = 0; i < pool.started; i++) ring(&helpers[i]);
    for (int i = 0; i < pool.started; i++) pthread_join(helpers[i].id, NULL);
    pool.started = 0; /* and the pool stays taken: what still comes runs on its caller */
    ag_arena_free(pool.rooms);
}

/* ---- the caller ---- */

/* A block may be the program's own, or run a tape: helpers have the stack that threads have by
   default, where that is not less (musl: 128 KiB). */
enum { STACK = 1 << 20 };

static int create(helper *h)
{
    pthread_attr_t large;
    size_t bytes = 0;
    int error = pthread_attr_init(&large);
    if (error) return error;
    pthread_attr_getstacksize(&large, &bytes);
    if (bytes < STACK) pthread_attr_setstacksize(&large, STACK);
    error = pthread_create(&h->id, &large, help, h);
    pthread_attr_destroy(&large);
    return error && bytes < STACK ? pthread_create(&h->id, NULL, help, h) : error;
}

/* 1: there is no memory. */
static int furnish(helper *h)
{
    if (!pool.rooms) pool.rooms = ag_arena_new();
    if (!h->room) h->room = ag_arena_take(pool.rooms, sizeof *h->room);
    return !h->room;
}

/* Signals stay with the threads of the program: their handlers may want a stack of their own. */
static void start(int wanted)
{
    sigset_t all, before;
    if (!pool.registered) pool.registered = !pthread_atfork(NULL, NULL, forget);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.started < wanted && pool.started < pool.most) {
        helper *h = &helpers[pool.started];
        atomic_store(&h->bell, LISTENS);
        if (!pool.registered || furnish(h) || create(h))
            pool.most = pool.started; /* asked for once, not by every call */
        else
            pool.started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void give(void) { atomic_store(&pool.taken, 0); }

/* Takes the pool and starts the threads that it lacks; `threads` includes the caller. Returns how
   many there are, at most `threads`. Returns 1 without taking the pool if it has no threads or is
   taken: by another thread, or by the block that makes this call. */
static int take(int threads)
{
    if (threads <= 1 || atomic_exchange(&pool.taken, 1)) return 1;
    if (pool.started < threads - 1 && pool.started < pool.most) start(threads - 1);
    if (pool.started == 0) give();
    return pool.started < threads ? pool.started + 1 : threads;
}

static void shut(void)
{
    unsigned door = atomic_fetch_and(&pool.door, ~(unsigned)OPEN) & ~(unsigned)OPEN;
    while (door & INSIDE) {
        if (!(door & CALLER_SLEEPS) && ag__wait_awake(&pool.door, door)) {
            door = atomic_load(&pool.door);
            continue;
        }
        if ((door & CALLER_SLEEPS) ||
            atomic_compare_exchange_strong(&pool.door, &door, door | CALLER_SLEEPS)) {
            ag__wait_asleep(&pool.door, door | CALLER_SLEEPS);
            door = atomic_load(&pool.door);
        }
    }
    atomic_store(&pool.door, 0);
}

static void run_alone(int64_t blocks, ag_block *body, void *context)
{
    for (int64_t block = 0; block < blocks; block++) body(context, block, 0);
    ag__stream_end();
}

void ag_parallel(int64_t blocks, ag_block *body, void *context)
{
    if (!body) return;
    const int most = ag_threads(), threads = take(blocks < most ? (int)blocks : most);
    if (threads == 1) {
        run_alone(blocks, body, context);
        return;
    }
    for (int t = 0; t < threads; t++) {
        atomic_store_explicit(&ranges[t].next, t * blocks / threads, memory_order_relaxed);
        ranges[t].end = (t + 1) * blocks / threads;
    }
    pool.body = body;
    pool.context = context;
    pool.threads = threads;
    pool.mode = ag__float_mode();
    atomic_store(&pool.door, OPEN);
    for (int i = 0; i < threads - 1; i++) ring(&helpers[i]);
    run_blocks(0);
    shut();
    give();
}

/* Two threads are as fast as one where one takes 2.3 us, and 17 us when the other is asleep: two
   blocks of equal length, 3,000 calls right after each other or 200 us apart, medians. In 2 us a
   core goes through about 8,192 elements that are in its cache, with little to do for each. */
enum { WORTH = 8192 };

void ag__parallel_work(int64_t work, int64_t blocks, ag_block *body, void *context)
{
    if (work < WORTH)
        run_alone(blocks, body, context);
    else
        ag_parallel(blocks, body, context);
}

int ag_start_threads(void)
{
    const int threads = take(ag_threads());
    if (threads > 1) give();
    return threads;
}
