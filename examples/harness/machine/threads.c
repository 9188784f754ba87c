/* SPDX-License-Identifier: MIT */
/* Starts threads, and counts how many the system gives. */
#include "examples/harness/machine/threads.h"
#include "core/threads.h"
#include "examples/harness/base/base.h"

#include <pthread.h>
#include <stdlib.h>
#include <limits.h>

enum { MOST = 1024 };

static int number_in(const char *text)
{
    const long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 && n < INT_MAX ? (int)n : n > 0 ? INT_MAX : 0;
}

void harness_threads_start(int threads)
{
    static int last = -1; /* a study has many runs, but one warning */
    const int asked = threads ? threads : number_in(getenv("OMP_NUM_THREADS"));
    if (threads) ag_set_threads(threads);
    const int wanted = ag_threads(), had = ag_start_threads();
    if (asked > wanted && asked != last)
        harness_warn("%s is %d, but this machine has no use for more than %d threads, so %d run",
                     threads ? "--threads" : "OMP_NUM_THREADS", asked, wanted, wanted);
    if (had < wanted)
        harness_warn("the system gives %d of %d threads, so the work takes longer and its results "
                     "are the same; raise the limits on processes (ulimit -u) and memory "
                     "(ulimit -v), or ask for fewer with --threads",
                     had, wanted);
    if (had < wanted) ag_set_threads(had);
    last = asked;
}

static void *wait_for_all(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

int harness_threads_to_be_had(int wanted)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t id[MOST];
    int had = 1;
    if (wanted > MOST) wanted = MOST;
    pthread_mutex_lock(&lock);
    while (had < wanted && pthread_create(&id[had], NULL, wait_for_all, &lock) == 0) had++;
    pthread_mutex_unlock(&lock);
    for (int i = 1; i < had; i++) pthread_join(id[i], NULL);
    pthread_mutex_destroy(&lock);
    return had;
}
