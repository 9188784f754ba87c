/* SPDX-License-Identifier: MIT */
/* tests/bench/peer.py as a child that runs one step per line it is sent. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdio.h>
#include <sys/types.h>

typedef struct bench_peer {
    pid_t pid; /* 0: none */
    FILE *to, *from;
    char about[512];       /* the line it said when it was ready */
    double peak, resident; /* bytes above `resident`, which was there before the first step */
} bench_peer;

/* Starts `python peer.py --serve --form FORM ...` and waits until it has warmed up. 0: ready. */
int bench_peer_open(bench_peer *peer, const char *python, const char *form, int configs, int nodes,
                    int threads);
double bench_peer_run(bench_peer *peer); /* seconds of one step; below 0 when the child is gone */
void bench_peer_close(bench_peer *peer); /* fills peak and resident */

#endif
