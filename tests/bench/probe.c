/* SPDX-License-Identifier: MIT */
/* This file alone is compiled with -ffp-contract=fast, for a * x + y to be one instruction. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "probe.h"

#include "core/core.h"
#include "core/parallel.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One register wide; 12 chains hide the latency of two units with 4 to 5 cycles and leave room
   among 16 registers. */
#if defined(__AVX512F__)
enum { WIDTH = 16 };
#elif defined(__AVX__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif
typedef float vector __attribute__((vector_size(4 * WIDTH)));
enum { CHAINS = 12 };

/* Threads write it side by side; volatile, or a compiler that sees no reader leaves the chains out.
 */
static volatile _Atomic float sink;

static int turns = 400000;
static size_t copy_bytes = (size_t)64 << 20;

void bench_quick_probes(void)
{
    turns = 100000;
    copy_bytes = (size_t)1 << 20;
}

static void fma_block(void *context, int64_t block, int thread)
{
    /* Twelve starts: chains that start alike become one. */
    vector a0 = {1}, a1 = {2}, a2 = {3}, a3 = {4}, a4 = {5}, a5 = {6}, a6 = {7}, a7 = {8}, a8 = {9},
           a9 = {10}, a10 = {11}, a11 = {12};
    vector x = {0}, y = {0};
    const int n = turns;
    (void)context, (void)block, (void)thread;
    x += 0.999f, y += 0.001f;
    for (int i = 0; i < n; i++) {
        a0 = a0 * x + y, a1 = a1 * x + y, a2 = a2 * x + y, a3 = a3 * x + y;
        a4 = a4 * x + y, a5 = a5 * x + y, a6 = a6 * x + y, a7 = a7 * x + y;
        a8 = a8 * x + y, a9 = a9 * x + y, a10 = a10 * x + y, a11 = a11 * x + y;
    }
    a0 += a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11;
    float sum = 0;
    for (int i = 0; i < WIDTH; i++) sum += a0[i];
    sink = sum;
}

double bench_fma_rate(void)
{
    const int blocks = ag_threads();
    const double start = bench_now();
    ag_parallel(blocks, fma_block, NULL);
    return 2.0 * WIDTH * CHAINS * (double)turns * blocks / (bench_now() - start);
}

enum { COPY_BLOCK = 1 << 18 };

/* At least `bytes` that stay until more are wanted. */
typedef struct room {
    ag_arena *arena;
    size_t bytes;
    char *start;
} room;

static char *enough(room *r, size_t bytes)
{
    if (r->bytes >= bytes) return r->start;
    ag_arena_free(r->arena);
    r->arena = ag_arena_new();
    r->start = r->arena ? ag_arena_take(r->arena, bytes) : NULL;
    r->bytes = bytes;
    if (!r->start) {
        fprintf(stderr, "bench: no memory for a probe of %zu bytes.\n", bytes);
        exit(5);
    }
    return memset(r->start, 0, bytes);
}

static void copy_block(void *context, int64_t block, int thread)
{
    char *to = (char *)context + block * COPY_BLOCK;
    (void)thread;
    memcpy(to, to + copy_bytes, COPY_BLOCK);
}

double bench_memory_rate(void)
{
    static room both;
    char *buffers = enough(&both, 2 * copy_bytes);
    const double start = bench_now();
    ag_parallel((int64_t)copy_bytes / COPY_BLOCK, copy_block, buffers);
    return 2.0 * (double)copy_bytes / (bench_now() - start);
}

typedef struct loop {
    float *to;
    const float *from;
    int64_t n;
} loop;

enum { LOOP_BLOCK = 1 << 14 };

static void loop_block(void *context, int64_t block, int thread)
{
    const loop *l = context;
    const int64_t lo = block * LOOP_BLOCK, left = l->n - lo;
    const int n = (int)(left < LOOP_BLOCK ? left : LOOP_BLOCK);
    float *restrict to = l->to + lo;
    const float *restrict from = l->from + lo;
    (void)thread;
    for (int i = 0; i < n; i++) to[i] = from[i] + 1; /* as an op stores: no call of memcpy */
}

double bench_copy(size_t bytes)
{
    static room both;
    const int64_t n = (int64_t)(bytes / 2 / sizeof(float));
    float *x = (float *)(void *)enough(&both, bytes);
    loop l = {x, x + n, n};
    bench_memory_rate();
    const double start = bench_now();
    ag_parallel((n + LOOP_BLOCK - 1) / LOOP_BLOCK, loop_block, &l);
    return bench_now() - start;
}
