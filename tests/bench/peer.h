/* SPDX-License-Identifier: MIT */
/* tests/bench/peer.py as a child that runs one step per line it is sent. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

/* The options of peer.py in a call. */
typedef struct bench_peer_call {
    const char *model, *form;
    int configs, nodes;
    int chunk; /* above 0: scores, so many at a time; 0: training steps */
} bench_peer_call;

typedef struct bench_peer {
    pid_t pid; /* 0: none */
    FILE *to, *from;
    json_t *about;         /* its message that it is ready or cannot run; NULL: none */
    double peak, resident; /* bytes above `resident`, which was there before the first step */
} bench_peer;

/* Starts `python peer.py --serve ...` and waits until it has warmed up. 0: it is ready, or it
   reported that it cannot run: then pid is 0, and about has "failed". 1: it reported nothing, which
   is printed. */
int bench_peer_open(bench_peer *peer, const char *python, const bench_peer_call *call);
double bench_peer_run(bench_peer *peer); /* seconds of one step; below 0 when the child is gone */
void bench_peer_close(bench_peer *peer); /* fills peak and resident; keeps about */

#endif
