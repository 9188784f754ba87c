/* SPDX-License-Identifier: MIT */
/* Blocks on threads: each runs once, on a thread that no other block of the call has at that time;
   from several callers at once, from within a block, and in a child. */
#include "core/parallel.h"
#include "support/sanitized.h"
#include "support/test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 100 };

typedef struct seen {
    int times[MOST], thread[MOST];
    atomic_int nested[MOST], busy[8], shared; /* shared: a thread had two blocks at once */
} seen;

static void mark(void *context, int64_t block, int thread)
{
    seen *s = context;
    if (atomic_fetch_add(&s->busy[thread], 1)) atomic_store(&s->shared, 1);
    s->times[block]++;
    s->thread[block] = thread;
    atomic_fetch_sub(&s->busy[thread], 1);
}

/* 1 when blocks 0..count-1 ran once each, on threads below `threads`. */
static int complete(const seen *s, int count, int threads)
{
    int good = !atomic_load(&s->shared);
    for (int k = 0; k < MOST; k++)
        good &= s->times[k] == (k < count) && s->thread[k] >= 0 && s->thread[k] < threads;
    return good;
}

static void test_each_once(void **state)
{
    static const int counts[] = {0, 1, 2, 3, 4, 5, 8, 9, MOST};
    for (int threads = 1; threads <= 4; threads++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (int round = 0; round < 20; round++) {
                seen s = {0};
                ag_set_threads(threads);
                ag_parallel(counts[i], mark, &s);
                assert_true(complete(&s, counts[i], threads));
            }
}

/* ---- which thread ---- */

typedef struct pairs {
    atomic_int begun[4];
    int thread[4], blocked[4];
} pairs;

static void await(const atomic_int *flag)
{
    while (!atomic_load(flag)) sched_yield();
}

/* Blocks 0 and 2 wait for each other, and so do 1 and 3: each pair needs two threads. */
static void run_pair(void *context, int64_t block, int thread)
{
    pairs *p = context;
    sigset_t set;
    p->thread[block] = thread;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    p->blocked[block] = sigismember(&set, SIGINT) == 1;
    atomic_store(&p->begun[block], 1);
    await(&p->begun[block ^ 2]);
}

/* The same thread gets the same blocks, in every call; signals stay with the caller. */
static void test_halves(void **state)
{
    ag_set_threads(2);
    for (int round = 0; round < 50; round++) {
        pairs p = {0};
        if (round % 10 == 0) usleep(2000); /* the thread sleeps */
        ag_parallel(4, run_pair, &p);
        for (int block = 0; block < 4; block++) {
            assert_int_equal(p.thread[block], block / 2);
            assert_int_equal(p.blocked[block], block / 2);
        }
    }
}

static void mark_slowly(void *context, int64_t block, int thread)
{
    usleep(100);
    mark(context, block, thread);
}

/* A thread that was wanted by a call before, and comes late, is not one of a call for fewer. */
static void test_fewer(void **state)
{
    for (int round = 0; round < 200; round++) {
        seen many = {0}, few = {0};
        ag_set_threads(4);
        ag_parallel(4, mark, &many);
        assert_true(complete(&many, 4, 4));
        ag_set_threads(2);
        ag_parallel(8, mark_slowly, &few);
        assert_true(complete(&few, 8, 2));
    }
}

typedef struct lame {
    atomic_int done;
} lame;

/* The thread that holds block 0 stays in it until all others are done. */
static void wait_for_others(void *context, int64_t block, int thread)
{
    lame *l = context;
    if (block == 0)
        while (atomic_load(&l->done) < MOST - 1) sched_yield();
    else
        atomic_fetch_add(&l->done, 1);
}

/* The other thread does the blocks of one that is late. */
static void test_late(void **state)
{
    ag_set_threads(2);
    for (int round = 0; round < 20; round++) {
        lame l = {0};
        ag_parallel(MOST, wait_for_others, &l);
        assert_int_equal(atomic_load(&l.done), MOST - 1);
    }
}

/* Little work stays with the caller; the blocks are the same. */
static void test_little_work(void **state)
{
    ag_set_threads(2);
    for (int round = 0; round < 100; round++) {
        seen s = {0};
        ag__parallel_work(1000, MOST, mark, &s);
        assert_true(complete(&s, MOST, 1));
    }
    pairs p = {0};
    ag__parallel_work(1 << 20, 4, run_pair, &p);
    assert_int_equal(p.thread[3], 1);
}

/* ---- callers ---- */

static void mark_inside(void *context, int64_t block, int thread)
{
    seen *s = context;
    atomic_fetch_add(&s->nested[block], 1);
}

static void call_inside(void *context, int64_t block, int thread)
{
    mark(context, block, thread);
    if (block == 0) ag_parallel(MOST, mark_inside, context);
}

static void test_within_a_block(void **state)
{
    for (int blocks = 1; blocks <= 9; blocks += 4) {
        seen s = {0};
        ag_set_threads(2);
        ag_parallel(blocks, call_inside, &s);
        assert_true(complete(&s, blocks, 2));
        for (int k = 0; k < MOST; k++) assert_int_equal(atomic_load(&s.nested[k]), 1);
    }
}

/* NULL: every call of this thread was complete. */
static void *call_often(void *bad)
{
    for (int round = 0; round < 500; round++) {
        const int count = 1 + round % MOST;
        seen s = {0};
        ag_parallel(count, mark, &s);
        if (!complete(&s, count, 3)) return bad;
    }
    return NULL;
}

static void test_several_callers(void **state)
{
    pthread_t id[4];
    void *bad;
    ag_set_threads(3);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&id[i], NULL, call_often, id), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(id[i], &bad);
        assert_null(bad);
    }
}

/* ---- processes ---- */

#if !SANITIZED_THREADS /* it allows a child of a process with threads none of its own */

static atomic_int quit;

static void *call_until_told(void *unused)
{
    while (!atomic_load(&quit)) {
        seen s = {0};
        ag_parallel(MOST, mark, &s);
    }
    return NULL;
}

/* 0: two threads work in this child, which ends when it is asked to. */
static int in_a_child(void)
{
    alarm(60);
    for (int round = 0; round < 10; round++) {
        pairs p = {0};
        ag_parallel(4, run_pair, &p);
        if (p.thread[3] != 1) return 1;
    }
    return 0;
}

static int code_of(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static void test_fork(void **state)
{
    pthread_t other;
    ag_set_threads(2);
    atomic_store(&quit, 0);
    assert_int_equal(in_a_child(), 0);
    assert_int_equal(pthread_create(&other, NULL, call_until_told, NULL), 0);
    for (int round = 0; round < 20; round++) {
        const pid_t child = fork();
        if (child == 0) exit(in_a_child());
        assert_int_equal(code_of(child), 0);
    }
    atomic_store(&quit, 1);
    pthread_join(other, NULL);
    assert_int_equal(in_a_child(), 0);
}

static void end_here(void *context, int64_t block, int thread)
{
    if (block == 1) exit(7);
    for (;;) pause();
}

static void *never_done(void *context)
{
    ag_parallel(2, end_here, context);
    return NULL;
}

static atomic_int inside;

static void stay(void *context, int64_t block, int thread)
{
    atomic_fetch_add(&inside, 1);
    for (;;) pause();
}

static void *stay_for_ever(void *context)
{
    ag_parallel(2, stay, context);
    return NULL;
}

/* A process ends in any state of its threads: from within a block, or while blocks never end. */
static void test_end(void **state)
{
    ag_set_threads(2);
    for (int way = 0; way < 3; way++) {
        const pid_t child = fork();
        if (child == 0) {
            pthread_t other;
            alarm(60);
            if (way == 0) never_done(NULL);
            if (way == 1) exit(in_a_child() + 7);
            pthread_create(&other, NULL, stay_for_ever, NULL);
            while (atomic_load(&inside) < 2) sched_yield();
            exit(7);
        }
        assert_int_equal(code_of(child), 7);
    }
}

#endif

int main(void)
{
    int failed = RUN_TESTS(test_each_once, test_halves, test_fewer, test_late, test_little_work,
                           test_within_a_block, test_several_callers);
#if !SANITIZED_THREADS
    failed += RUN_TESTS(test_fork, test_end);
#endif
    return failed;
}
