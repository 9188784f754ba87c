/* SPDX-License-Identifier: MIT */
#include "device.h"

#include "core/cuda/device.h"
#include "core/gemm.h"

#include "probe.h"

#include <stdio.h>
#include <stdlib.h>

ag_device bench_device = AG_CPU;
ag_precision bench_precision = AG_FP32;
static int side = 2048;                  /* of the matrices: their product takes some 0.3 ms */
static size_t bytes = (size_t)256 << 20; /* beyond any cache */

ag_tape *bench_tape(void)
{
    ag_tape *tape = ag_tape_new(bench_device);
    ag_tape_precision(tape, bench_precision);
    return tape;
}

static int on_host(void)
{
    ag_device_about about;
    ag_device_describe(&about);
    return about.on_host;
}

void bench_device_quick(void)
{
    side = 64;
    bytes = (size_t)1 << 16;
}

int bench_device_open(void)
{
    ag_failure why = {0};
    if (bench_device == AG_CPU) return 0;
    if (ag_device_open(&why)) {
        fprintf(stderr, "bench: %s\n", why.sentence);
        return 6;
    }
    if (on_host()) bench_device_quick();
    return 0;
}

void bench_device_wait(void)
{
    ag_failure why = {0};
    if (bench_device == AG_CPU || !ag__device_wait(&why)) return;
    fprintf(stderr, "bench: %s\n", why.sentence);
    exit(1);
}

/* Allocated once; the end of the program frees it. */
static char *room(char **block, size_t size)
{
    if (!*block && (*block = ag__device_take(size))) {
        ag__device_fill(*block, 0, size);
        return *block;
    }
    if (*block) return *block;
    fprintf(stderr, "bench: the device has no %zu bytes for a probe.\n", size);
    exit(5);
}

double bench_device_product_rate(void)
{
    static char *block;
    const size_t n = (size_t)side * (size_t)side;
    ag_real *a = (ag_real *)(void *)room(&block, 3 * n * sizeof *a);
    bench_device_wait();
    const double start = bench_now();
    ag__device_precision(bench_precision);
    ag__device_gemm(a + 2 * n, a, a + n, 0, 0, side, side, side, 0);
    ag__device_precision(AG_FP32);
    bench_device_wait();
    return 2.0 * side * side * side / (bench_now() - start);
}

double bench_device_copy_rate(void)
{
    static char *block;
    char *from = room(&block, 2 * bytes);
    bench_device_wait();
    const double start = bench_now();
    ag__device_copy(from + bytes, from, bytes);
    bench_device_wait();
    return 2.0 * (double)bytes / (bench_now() - start);
}

static const char *const words[] = {"fp32", "tf32"}; /* of ag_precision */

void bench_device_json(json_t *machine)
{
    ag_device_about about;
    if (bench_device == AG_CPU) return;
    ag_device_describe(&about);
    json_object_set_new(machine, "device",
                        json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:f}", "kind", "cuda", "name",
                                  about.name, "precision", words[bench_precision], "toolkit",
                                  about.built, "driver", about.driver, "on_host", about.on_host,
                                  "memory_gib", (double)about.bytes / (1 << 30)));
}

void bench_device_print(void)
{
    ag_device_about about;
    if (bench_device == AG_CPU) return;
    ag_device_describe(&about);
    printf("device: %s, compute capability %d.%d, %.1f GiB, toolkit %d.%d, driver %d.%d; products "
           "in %s\n",
           about.name, about.major, about.minor, (double)about.bytes / (1 << 30),
           about.built / 1000, about.built % 1000 / 10, about.driver / 1000,
           about.driver % 1000 / 10, words[bench_precision]);
    if (about.on_host)
        printf("The CUDA code runs on the CPU, for tests: NO TIME BELOW MEANS ANYTHING.\n");
}
