/* SPDX-License-Identifier: MIT */
/* oneDNN as a peer of the products. It is linked to the bench alone, if it is found when the bench
   is configured; without it every function reports that. */
#ifndef BENCH_ONEDNN_H
#define BENCH_ONEDNN_H

int bench_onednn_there(void); /* 1: the bench was built with it */

/* "oneDNN 2.6.3", or "none". */
const char *bench_onednn_text(char text[32]);

/* Must come first in main: starts the bench again so that the threads of oneDNN sleep while they
   wait. They are OpenMP's, which read how to wait when the program is loaded, and would otherwise
   keep the processor from the work that is timed next. Peers do not get this setting. */
void bench_onednn_asleep(char **argv);

/* Holds it to so many threads, and to the instructions that this bench was compiled for; before the
   first product. */
void bench_onednn_limit(int threads);

/* c [m,n] = op(a) [m,k] op(b) [k,n]; ta, tb: a is stored [k,m], b [n,k]. */
void bench_onednn_product(float *c, const float *a, const float *b, int ta, int tb, int m, int n,
                          int k);

#endif
