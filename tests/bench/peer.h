/* SPDX-License-Identifier: MIT */
/* tests/bench/peer.py as a child that runs one step per line it is sent. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

/* What a peer is asked for: the options of peer.py. */
typedef struct bench_peer_call {
    const char *model, *form;
    int configs, nodes;
    int chunk; /* above 0: scores, so many at a time; 0: training steps */
} bench_peer_call;

typedef struct bench_peer {
    pid_t pid; /* 0: none */
    FILE *to, *from;
    json_t *about; /* what it said when it was ready, or that it cannot run; NULL: nothing */
    double peak, resident; /* bytes above `resident`, which was there before the first step */
} bench_peer;

/* Starts `python peer.py --serve ...` and waits until it has warmed up. 0: ready, or it said why
   it cannot run: then pid is 0, and about has "failed". 1: it did not say anything, which is told.
 */
int bench_peer_open(bench_peer *peer, const char *python, const bench_peer_call *call);
double bench_peer_run(bench_peer *peer); /* seconds of one step; below 0 when the child is gone */
void bench_peer_close(bench_peer *peer); /* fills peak and resident; keeps about */

#endif
