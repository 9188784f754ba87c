/* SPDX-License-Identifier: MIT */
/* A shared object with a copy of the library in it, for test_parallel_unload.c. */
#include "core/parallel.h"

#include <sched.h>
#include <stdatomic.h>

typedef struct pair {
    atomic_int begun[2];
} pair;

/* Each of the two blocks waits for the other, so two threads are there. */
static void meet(void *context, int64_t block, int thread)
{
    pair *p = context;
    (void)thread;
    atomic_store(&p->begun[block], 1);
    while (!atomic_load(&p->begun[1 - block])) sched_yield();
}

/* Returns how many threads it worked with. */
AG_API int unload_work(int rounds);
int unload_work(int rounds)
{
    ag_set_threads(2);
    for (int round = 0; round < rounds; round++) {
        pair p = {{0}};
        ag_parallel(2, meet, &p);
    }
    return ag_start_threads();
}
