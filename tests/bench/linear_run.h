/* SPDX-License-Identifier: MIT */
/* The three products of a linear layer, each computed by the public op, by core's product function
   and by oneDNN on the same numbers. */
#ifndef BENCH_LINEAR_RUN_H
#define BENCH_LINEAR_RUN_H

#include "augur.h"

typedef enum bench_way { BENCH_FORWARD, BENCH_BACKWARD_X, BENCH_BACKWARD_W, BENCH_WAYS } bench_way;

/* A short product is repeated within one timing: each time with rows and results of its own, with
   the same weights, or for their gradient with weights of its own. */
typedef struct bench_linear {
    int rows, out, in, copies;
    ag_tape *tape;
    ag_params *x, *w; /* copies of [rows,in] and of [out,in] */
    ag_real *bias;    /* [out] */
    ag_real *dy;      /* [copies,rows,out] */
    ag_real *result;  /* [copies] of the largest result */
    ag_real *scratch; /* of core's function */
} bench_linear;

int bench_linear_open(bench_linear *l, int rows, int out, int in, int copies); /* 0: ready */
void bench_linear_close(bench_linear *l);

/* Seconds of all copies. The op: a run of ag_forward with the bias, or the part of ag_backward that
   follows the gradient of y, as a user has them; recording is left out. */
double bench_linear_op(bench_linear *l, bench_way way);
double bench_linear_core(bench_linear *l, bench_way way);
double bench_linear_onednn(bench_linear *l, bench_way way);

#endif
