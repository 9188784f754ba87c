/* SPDX-License-Identifier: MIT */
/* The clock, copies and made-up gradients of the CPU and of a device. */
#include "bench.h"

#include "core/cuda/device.h"
#include "core/parallel.h"
#include "examples/harness/base/base.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN = 1 << 16, MARKS = 4, COPY_BLOCK = 1 << 14 };

ag_device bench_device = AG_CPU;
ag_precision bench_precision = AG_FP32;

static struct {
    ag__timer *timer;
    char *block; /* two halves, beyond any cache: one is copied to the other */
    size_t half; /* bytes */
    ag_real *pattern;
    double mark[MARKS]; /* of the CPU */
    int marks;
} there;

static int on_cpu(void) { return bench_device == AG_CPU; }

static void *take(size_t bytes)
{
    void *p = on_cpu() ? ag_alloc(bytes) : ag__device_take(bytes);
    if (p && on_cpu()) memset(p, 0, bytes);
    if (p && !on_cpu()) ag__device_fill(p, 0, bytes);
    return p;
}

static void give(void *p)
{
    if (on_cpu())
        ag_free(p);
    else
        ag__device_give(p);
}

static int fill_pattern(void)
{
    ag_real *made = ag_alloc(PATTERN * sizeof *made);
    for (int i = 0; made && i < PATTERN; i++)
        made[i] = (ag_real)(((uint32_t)i * 2654435761u) >> 12 & 1023) / 1024 - (ag_real)0.5;
    if (made && on_cpu()) memcpy(there.pattern, made, PATTERN * sizeof *made);
    if (made && !on_cpu()) ag__device_upload(there.pattern, made, PATTERN * sizeof *made);
    ag_free(made);
    return !made;
}

int bench_device_open(int quick)
{
    ag_device_about about = {0};
    ag_failure why = {0};
    if (!on_cpu() && ag_device_open(&why)) {
        fprintf(stderr, "bench: %s\n", why.sentence);
        return 6;
    }
    if (!on_cpu()) ag_device_describe(&about);
    there.half = quick || about.on_host ? (size_t)1 << 16 : (size_t)128 << 20;
    there.timer = on_cpu() ? NULL : ag__timer_new();
    there.block = take(2 * there.half);
    there.pattern = take(PATTERN * sizeof *there.pattern);
    if (there.block && there.pattern && (on_cpu() || there.timer) && !fill_pattern()) return 0;
    fprintf(stderr, "bench: there is no memory for what rows are timed with.\n");
    return 5;
}

void bench_device_close(void)
{
    if (there.timer) ag__timer_free(there.timer);
    give(there.block);
    give(there.pattern);
}

ag_tape *bench_tape(void)
{
    ag_tape *tape = ag_tape_new(bench_device);
    ag_tape_precision(tape, bench_precision);
    return tape;
}

void bench_device_wait(void)
{
    ag_failure why = {0};
    if (on_cpu() || !ag__device_wait(&why)) return;
    fprintf(stderr, "bench: %s\n", why.sentence);
    exit(1);
}

void bench_device_json(json_t *head)
{
    static const char *const words[] = {"fp32", "tf32"}; /* of ag_precision */
    ag_device_about about;
    if (on_cpu()) return;
    ag_device_describe(&about);
    json_object_set_new(head, "device",
                        json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:f}", "kind", "cuda", "name",
                                  about.name, "precision", words[bench_precision], "toolkit",
                                  about.built, "driver", about.driver, "on_host", about.on_host,
                                  "memory_gib", (double)about.bytes / (1 << 30)));
    printf("device: %s, compute capability %d.%d, %.1f GiB, toolkit %d.%d, driver %d.%d; products "
           "in %s\n",
           about.name, about.major, about.minor, (double)about.bytes / (1 << 30),
           about.built / 1000, about.built % 1000 / 10, about.driver / 1000,
           about.driver % 1000 / 10, words[bench_precision]);
    if (about.on_host)
        printf("The CUDA code runs on the CPU, for tests: NO TIME BELOW MEANS ANYTHING.\n");
}

/* ---- time ---- */

void bench_clock_start(void)
{
    there.marks = 0;
    if (on_cpu())
        bench_clock_mark();
    else
        ag__timer_start(there.timer);
}

void bench_clock_mark(void)
{
    if (!on_cpu())
        ag__timer_mark(there.timer);
    else if (there.marks < MARKS)
        there.mark[there.marks++] = harness_seconds();
}

double bench_clock_seconds(int number)
{
    if (!on_cpu()) return ag__timer_seconds(there.timer, number);
    return there.mark[number + 1] - there.mark[number];
}

/* ---- copies ---- */

typedef struct copy {
    float *to;
    const float *from;
    int64_t n;
} copy;

/* As an op stores: no call of memcpy. */
static void copy_block(void *context, int64_t block, int thread)
{
    const copy *c = context;
    const int64_t lo = block * COPY_BLOCK, left = c->n - lo;
    const int n = (int)(left < COPY_BLOCK ? left : COPY_BLOCK);
    float *restrict to = c->to + lo;
    const float *restrict from = c->from + lo;
    for (int i = 0; i < n; i++) to[i] = from[i] + 1;
}

static void copy_bytes(char *to, const char *from, size_t bytes)
{
    copy c = {(float *)(void *)to, (const float *)(const void *)from,
              (int64_t)(bytes / sizeof(float))};
    if (!on_cpu())
        ag__device_copy(to, from, bytes);
    else
        ag_parallel((c.n + COPY_BLOCK - 1) / COPY_BLOCK, copy_block, &c);
}

void bench_evict(void) { copy_bytes(there.block + there.half, there.block, there.half); }

/* Of more bytes than the block has, as many parts as go into it. */
double bench_copy(double bytes)
{
    const double half = bytes / 2 < 4 ? 4 : bytes / 2, most = (double)there.half;
    const size_t part = (size_t)(half < most ? half : most);
    bench_evict();
    bench_clock_start();
    copy_bytes(there.block, there.block + there.half, part);
    bench_clock_mark();
    return bench_clock_seconds(0) * half / (double)part;
}

/* ---- gradients ---- */

static void put(ag_real *to, const ag_real *from, int64_t n)
{
    if (on_cpu())
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        ag__device_copy(to, from, (size_t)n * sizeof *to);
}

void bench_put_zero(ag_real *x)
{
    if (on_cpu())
        *x = 0;
    else
        ag__device_fill(x, 0, sizeof *x);
}

/* The pattern over and over. */
void bench_put_pattern(ag_real *x, int64_t n)
{
    int64_t have = n < PATTERN ? n : PATTERN;
    put(x, there.pattern, have);
    for (int64_t more; have < n; have += more) {
        more = have < n - have ? have : n - have;
        put(x + have, x, more);
    }
}
