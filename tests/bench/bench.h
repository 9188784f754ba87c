/* SPDX-License-Identifier: MIT */
/* Declarations that the parts of the bench share: options, samples, rows of the table. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "core/core.h"

#include <jansson.h>

enum { BENCH_MOST_ROUNDS = 100 };

typedef struct bench_options {
    int quick;                   /* small shapes, one round: checks the bench, measures nothing */
    int ops, gemm, steps, infer; /* parts that run */
    int rounds, threads;         /* 0: chosen by the part; all */
    int profile;                 /* a table of kernels below each step */
    const char *only;            /* rows whose name or shape has this in it; NULL: all */
    const char *peer;            /* a Python with PyTorch and PyG; NULL: none */
    const char *forms;           /* of the peer, with commas between; NULL: all */
    const char *json_path;       /* NULL: no JSON */
    const char *precision;       /* NULL: fp32 */
    const char *device;          /* NULL: the CPU */
} bench_options;

/* Times over the rounds, each with the rate of the FMA probe of its round. */
typedef struct bench_samples {
    int n;
    double seconds[BENCH_MOST_ROUNDS], probe[BENCH_MOST_ROUNDS];
} bench_samples;

/* Rounds whose probe was below 80 % of the best of the run are ignored: another program had the
   processor. */
void bench_sample(bench_samples *s, double seconds, double probe);
double bench_least(const bench_samples *s);
double bench_median(const bench_samples *s);
int bench_kept(const bench_samples *s);

/* Percent of the FMA probe: the median over the rounds, each relative to its own probe; and the
   least time compared with the best probe of these rounds. */
double bench_percent(const bench_samples *s, double flops);
double bench_percent_least(const bench_samples *s, double flops);

/* The best rates of this run so far, on the device that the rows are of: the floor of a row is
   computed from them. */
typedef struct bench_machine {
    double fma, copy; /* operations per second; bytes per second of a copy */
} bench_machine;
extern bench_machine bench_best;

double bench_probe(void); /* FMA rate now; raises the best */
void bench_evict(void);   /* a copy of 64 MiB that leaves nothing else in the caches; raises best */

/* One row of the table; peer is the time of `peer_name` for the same work, NULL: no peer. */
typedef struct bench_row {
    const char *name, *shape;
    const bench_samples *ours, *peer;
    double flops, bytes;
} bench_row;

void bench_head(const char *title, const char *peer_name);
void bench_print(const bench_row *row);
json_t *bench_json(const bench_row *row, const char *part, const char *peer_name);

/* 1: the row was asked for. */
int bench_wanted(const bench_options *options, const char *name, const char *shape);
int bench_rounds(const bench_options *options, int otherwise);

/* The parts add their measurements to `rows`; they return 1 after a failure that they have
   printed. */
int bench_gemm(const bench_options *options, json_t *rows);
int bench_ops(const bench_options *options, json_t *rows);
int bench_ops_device(const bench_options *options, json_t *rows); /* `ops` on a device */
int bench_steps(const bench_options *options, json_t *rows);
int bench_tpus(const bench_options *options, json_t *rows);   /* steps, too */
int bench_tpgnns(const bench_options *options, json_t *rows); /* steps, too */
int bench_infer(const bench_options *options, json_t *rows);
int bench_tpu_ranks_all(const bench_options *options, json_t *rows); /* of infer */

#endif
