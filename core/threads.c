/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/threads.h"
#include "core/parallel.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

static atomic_int chosen; /* 0: never set */

/* Those that this thread may use. */
static int processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    const long all = sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t holds */
    return all > 0 && all < INT_MAX ? (int)all : 1;
}

/* Threads without a processor of their own take turns with the others. A few are allowed for all
   that, so that what threads can do wrong is seen on any machine. */
enum { FEW = 8 };

void ag_set_threads(int n)
{
    const int own = processors(), useful = own > FEW ? own : FEW;
    if (n <= 0) n = own;
    if (n > useful) n = useful;
    atomic_store(&chosen, n < AG__MOST_THREADS ? n : AG__MOST_THREADS);
}

/* The first number of OMP_NUM_THREADS, or 0. */
static int asked(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    const long n = text ? strtol(text, NULL, 10) : 0;
    return n <= 0 ? 0 : n < INT_MAX ? (int)n : INT_MAX;
}

int ag_threads(void)
{
    if (atomic_load(&chosen) == 0) ag_set_threads(asked());
    return atomic_load(&chosen);
}

/* All switches in the environment accept the same words. */
int ag_switch(const char *variable, int usual)
{
    static const char *const words[2][4] = {{"0", "off", "no", "false"},
                                            {"1", "on", "yes", "true"}};
    const char *text = variable ? getenv(variable) : NULL;
    for (int on = 0; text && on < 2; on++)
        for (int i = 0; i < 4; i++)
            if (!strcasecmp(text, words[on][i])) return on;
    return usual;
}
