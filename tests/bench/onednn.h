/* SPDX-License-Identifier: MIT */
/* oneDNN as a peer of the products. It is linked to the bench alone, where it is found when the
   bench is configured; without it every function says so. */
#ifndef BENCH_ONEDNN_H
#define BENCH_ONEDNN_H

int bench_onednn_there(void); /* 1: the bench was built with it */

/* "oneDNN 2.6.3", or "none". */
const char *bench_onednn_text(char text[32]);

/* Comes first in main: starts the bench again for the threads of oneDNN to sleep while they wait.
   They are OpenMP's, read how to wait when the program is loaded, and would else keep the
   processor from whoever is timed next. Peers are not told. */
void bench_onednn_asleep(char **argv);

/* Holds it to so many threads, and to the instructions that this bench was compiled for; before the
   first product. */
void bench_onednn_limit(int threads);

/* c [m,n] = op(a) [m,k] op(b) [k,n]; ta, tb: a is stored [k,m], b [n,k]. */
void bench_onednn_product(float *c, const float *a, const float *b, int ta, int tb, int m, int n,
                          int k);

#endif
