/* SPDX-License-Identifier: MIT */
/* The same work by us and by its peers, in turn: samples, memory, and the rows that report them. */
#ifndef BENCH_BESIDE_H
#define BENCH_BESIDE_H

#include "autograd/autograd.h"
#include "bench.h"
#include "peer.h"

enum { BENCH_PEERS = 6 }; /* at most */

typedef struct bench_beside {
    char form[BENCH_PEERS][24]; /* of the peers, as tables call them */
    int peers;
    bench_samples ours, theirs[BENCH_PEERS];
    bench_peer peer[BENCH_PEERS];
    double growth; /* bytes: peak above the memory that was resident before the first step */
    int in_a_row;  /* runs of a round, whose mean is its sample; 0 and 1: one */
} bench_beside;

/* Starts the forms of a comma-separated list that the options select; call->form is not read.
   Returns 1 when one does not start. A form that reports that it cannot run is left out, with a
   message. */
int bench_beside_open(bench_beside *b, const bench_options *options, const bench_peer_call *call,
                      const char *forms);

/* Runs the work once more; returns seconds. */
typedef double (*bench_work)(void *context);

/* Runs `times` times to warm up, and notes how far the memory grew. */
void bench_beside_warm(bench_beside *b, bench_work run, void *context, int times);
/* Rounds of ours and of every peer that is open. Returns 1 when a peer is gone. */
int bench_beside_run(bench_beside *b, bench_work run, void *context, int rounds);
/* Ends the peers; their messages stay until bench_beside_free. */
void bench_beside_close(bench_beside *b);
void bench_beside_free(bench_beside *b);

/* The facts of a row. */
typedef struct bench_counted {
    const char *part, *name;
    double flops, floor; /* operations; seconds. floor 0: flops / FMA rate */
    int items;           /* configurations of a run, for rows that score; 0: a training step */
    ag_plan_summary plan;
} bench_counted;

/* Prints times, floor and memory, with the name `width` wide and `digits` decimals of ours, and a
   line per peer; adds the row to `rows` and returns it. */
json_t *bench_beside_tell(const bench_beside *b, const bench_counted *what, int width, int digits,
                          json_t *rows);

#endif
