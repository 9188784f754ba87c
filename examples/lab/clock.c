/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "examples/lab/clock.h"

#include <sched.h>
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

void lab_probe(void)
{
    enum { WORDS = 2048, PASSES = 4 };
    static uint32_t word[WORDS];
    static volatile uint32_t sink;
    uint32_t x = 2463534242u;
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < WORDS; i++) { /* each step waits for the one before */
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            word[i] += x;
        }
    sink = x ^ word[x % WORDS];
    (void)sink;
}
