/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "examples/lab/measure/clock.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>

int64_t lab_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int lab_pin(int core)
{
    cpu_set_t set;
    if (core < 0) {
        if (sched_getaffinity(0, sizeof set, &set)) return -1;
        for (int i = CPU_SETSIZE - 1; i >= 0 && core < 0; i--)
            if (CPU_ISSET(i, &set)) core = i;
    }
    if (core < 0 || core >= CPU_SETSIZE) return -1;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof set, &set) ? -1 : core;
}

ag_status lab_core_check(int core, ag_failure *why)
{
    cpu_set_t set;
    char cores[200] = "";
    if (core < 0 || sched_getaffinity(0, sizeof set, &set)) return AG_OK;
    if (core < CPU_SETSIZE && CPU_ISSET(core, &set)) return AG_OK;
    for (int i = 0, n = 0; i < CPU_SETSIZE && n < 190; i++)
        if (CPU_ISSET(i, &set)) n += sprintf(cores + n, "%s%d", n ? ", " : "", i);
    return ag_fail(why, AG_EUSE,
                   "--core is %d, which is no core that the program may run on (%s); name one of "
                   "these, or omit --core for the last one",
                   core, cores);
}

/* Eight independent chains fill the units of the core, so that a neighbour on the same core (a
   second hardware thread) slows it as much as one that takes the core away. */
void lab_probe(void)
{
    enum { LANES = 8, STEPS = 2000, WORDS = 1024 };
    static uint32_t word[WORDS];
    static volatile uint32_t sink;
    uint32_t x[LANES], sum = 0;
    for (int k = 0; k < LANES; k++) x[k] = 2463534242u + (uint32_t)k;
    for (int i = 0; i < STEPS; i++)
        for (int k = 0; k < LANES; k++) {
            x[k] ^= x[k] << 13;
            x[k] ^= x[k] >> 17;
            x[k] ^= x[k] << 5;
            word[(i * LANES + k) % WORDS] += x[k];
        }
    for (int k = 0; k < LANES; k++) sum += x[k] ^ word[x[k] % WORDS];
    sink = sum;
    (void)sink;
}
