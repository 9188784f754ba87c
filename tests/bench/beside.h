/* SPDX-License-Identifier: MIT */
/* One work, ours and that of two peers in turn: samples, memory, and what is said of them. */
#ifndef BENCH_BESIDE_H
#define BENCH_BESIDE_H

#include "autograd/autograd.h"
#include "bench.h"
#include "peer.h"

enum { BENCH_PEERS = 2 };

typedef struct bench_beside {
    const char *name[BENCH_PEERS]; /* of the peers, as tables call them */
    bench_samples ours, theirs[BENCH_PEERS];
    bench_peer peer[BENCH_PEERS];
    double growth; /* bytes: peak above what was resident before the first step */
    int in_a_row;  /* runs of a round, whose mean is its sample; 0 and 1: one */
} bench_beside;

/* Runs the work once more; returns seconds. */
typedef double (*bench_work)(void *context);

/* Runs `times` times to warm up, and notes how far the memory grew. */
void bench_beside_warm(bench_beside *b, bench_work run, void *context, int times);
/* Rounds of ours and of every peer that is open. Returns 1 when a peer is gone. */
int bench_beside_run(bench_beside *b, bench_work run, void *context, int rounds);
void bench_beside_close(bench_beside *b);

/* A line per peer, the name in front of it `width` wide. */
void bench_beside_print(const bench_beside *b, int width);
/* Adds rounds, min_ms, median_ms, growth_mb, and an object per peer. */
void bench_beside_json(json_t *json, const bench_beside *b);

/* What a row is about: the floor is that of its operations, flops / FMA rate. */
typedef struct bench_counted {
    const char *part, *name;
    double flops;
    ag_plan_summary plan;
} bench_counted;

/* Prints times, floor and memory, the name `width` wide and `digits` behind the point of ours, and
   the peers; adds the row to `rows`. */
void bench_beside_tell(const bench_beside *b, const bench_counted *what, int width, int digits,
                       json_t *rows);

#endif
