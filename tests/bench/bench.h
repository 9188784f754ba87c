/* SPDX-License-Identifier: MIT */
/* Declarations that the parts of the bench share: options, samples, the device and its clock. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "augur.h"

#include <jansson.h>

enum { BENCH_MOST_ROUNDS = 100 };

typedef struct bench_options {
    int quick;             /* small shapes, one round: checks the bench, measures nothing */
    int ops, steps;        /* parts that run */
    int rounds, threads;   /* 0: chosen by the part; all */
    int profile;           /* a table of kernels below each row */
    const char *only;      /* rows whose name or shape has this in it; NULL: all */
    const char *peer;      /* a Python with PyTorch and PyG; NULL: none */
    const char *json_path; /* NULL: no JSON */
    const char *precision; /* NULL: fp32 */
    const char *device;    /* NULL: the CPU */
} bench_options;

/* Seconds of the rounds. */
typedef struct bench_samples {
    int n;
    double seconds[BENCH_MOST_ROUNDS];
} bench_samples;

void bench_sample(bench_samples *s, double seconds);
double bench_least(const bench_samples *s);
double bench_median(const bench_samples *s);

int bench_wanted(const bench_options *options, const char *name, const char *shape);
int bench_rounds(const bench_options *options, int otherwise);

/* ---- the device that rows run on (device.c) ---- */

extern ag_device bench_device;       /* from --device; the CPU by default */
extern ag_precision bench_precision; /* of --precision: that of products there */

/* Opens it and takes the memory that copies and gradients need; small with `quick` and where CUDA
   code runs on the CPU. 0: ready; else the exit code, after a message. */
int bench_device_open(int quick);
void bench_device_close(void);
ag_tape *bench_tape(void);    /* a new one on it; NULL: no memory */
void bench_device_wait(void); /* until the device has done all its work; the CPU always has */
void bench_device_json(json_t *head);

void bench_evict(void);                 /* leaves other data in the caches */
double bench_copy(double bytes);        /* seconds to read and write half of them each, uncached */
void bench_clock_start(void);           /* sets mark 0, in the stream of a device */
void bench_clock_mark(void);            /* sets the next one */
double bench_clock_seconds(int number); /* from this mark to the next one */
void bench_put_zero(ag_real *x);
void bench_put_pattern(ag_real *x, int64_t n); /* made-up gradients */

/* ---- parts: they add rows, and return 1 after a failure that they have printed ---- */

json_t *bench_head(void); /* machine, compiler, device: printed, and for the file */
int bench_ops(const bench_options *options, json_t *rows);
int bench_steps(const bench_options *options, json_t *rows);

#endif
