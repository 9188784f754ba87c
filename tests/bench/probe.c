/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "probe.h"

#include "core/core.h"
#include "core/parallel.h"

#include <string.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Vectors of 16 floats: one register with AVX-512, two with AVX2. 12 chains hide the latency of 4
 * to 5 cycles. */
typedef float vector __attribute__((vector_size(64)));
enum { CHAINS = 12, TURNS = 400000 };

static volatile float sink;

static void fma_block(void *context, int64_t block, int thread)
{
    vector a0 = {1}, a1 = {2}, a2 = {3}, a3 = {4}, a4 = {5}, a5 = {6}, a6 = {7}, a7 = {8}, a8 = {9},
           a9 = {1}, a10 = {2}, a11 = {3};
    vector x = {0}, y = {0};
    (void)context, (void)block, (void)thread;
    x += 0.999f, y += 0.001f;
    for (int i = 0; i < TURNS; i++) {
        a0 = a0 * x + y, a1 = a1 * x + y, a2 = a2 * x + y, a3 = a3 * x + y;
        a4 = a4 * x + y, a5 = a5 * x + y, a6 = a6 * x + y, a7 = a7 * x + y;
        a8 = a8 * x + y, a9 = a9 * x + y, a10 = a10 * x + y, a11 = a11 * x + y;
        __asm__ volatile("" : "+m"(sink));
    }
    a0 += a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11;
    if (a0[0] == 12345.0f) sink = a0[1];
}

double bench_fma_rate(void)
{
    const int blocks = ag_threads();
    const double start = bench_now();
    ag__parallel(blocks, fma_block, NULL);
    return 2.0 * 16 * CHAINS * (double)TURNS * blocks / (bench_now() - start);
}

enum { COPY_BYTES = 64 << 20, COPY_BLOCK = 1 << 20 };

static void copy_block(void *context, int64_t block, int thread)
{
    char *const *buffer = context;
    (void)thread;
    memcpy(buffer[0] + block * COPY_BLOCK, buffer[1] + block * COPY_BLOCK, COPY_BLOCK);
}

double bench_memory_rate(void)
{
    static ag_arena *arena;
    static char *buffer[2];
    if (!arena) {
        arena = ag_arena_new();
        for (int i = 0; i < 2; i++)
            buffer[i] = memset(ag_arena_take(arena, COPY_BYTES), i, COPY_BYTES);
    }
    const double start = bench_now();
    ag__parallel(COPY_BYTES / COPY_BLOCK, copy_block, buffer);
    return 2.0 * COPY_BYTES / (bench_now() - start);
}
