/* SPDX-License-Identifier: MIT */
/* tests/bench/peer.py as a child that runs one step per line it is sent. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct bench_peer {
    pid_t pid; /* 0: none */
    FILE *to, *from;
    json_t *about; /* its message that it is ready or cannot run; NULL: none */
    double peak;   /* bytes above what was resident before the first step; on a device: there */
} bench_peer;

/* Starts `python peer.py --serve ...` and waits until it has warmed up. 0: it is ready, or it
   reported that it cannot run: then pid is 0, and about has "failed". 1: it reported nothing, which
   is printed. */
int bench_peer_open(bench_peer *peer, const char *python, const char *model, int count, int nodes);
double bench_peer_run(bench_peer *peer); /* seconds of one step; below 0 when the child is gone */
void bench_peer_close(bench_peer *peer); /* fills peak; keeps about; nothing where none is open */

#endif
