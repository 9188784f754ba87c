/* SPDX-License-Identifier: MIT */
/* Runs the cases of the op table. tests/both/op_runner.c exists in float (ag__trial_*) and in
   double (ag64__trial_*); both draw the same inputs, rounded to float, and show plain doubles. */
#ifndef AG_TESTS_OP_RUNNER_H
#define AG_TESTS_OP_RUNNER_H

#include "core/types.h"

enum { TRIAL_IN = 8, TRIAL_OUT = 6 };

/* One case of one op, with its inputs and the results of its last run. */
typedef struct op_trial {
    int n_in, n_out;
    int is_int[TRIAL_IN], out_int[TRIAL_OUT];
    int flows[TRIAL_OUT]; /* outputs with a gradient */
    int shown[TRIAL_OUT]; /* outputs that are compared: not the statistics that backward reads */
    int has_dx[TRIAL_IN]; /* inputs with one */
    int differentiable;   /* some input has one */
    ag_shape xs[TRIAL_IN], ys[TRIAL_OUT];
    int64_t x_count[TRIAL_IN], y_count[TRIAL_OUT];
    double *x[TRIAL_IN]; /* real inputs; may be changed between runs */
    const int32_t *ints[TRIAL_IN];
    int same[TRIAL_IN];   /* input i is the tensor of input same[i]; i at first */
    double *c[TRIAL_OUT]; /* cotangents: the loss is the sum over outputs of <y, c> */
    double *y[TRIAL_OUT], *dx[TRIAL_IN];
    double f[4]; /* attributes */
    int i[4];
    uint64_t y_bits, dx_bits; /* hashes of the results */
    long allocations;         /* of the last run, recording and planning included */
    int untouched;            /* inputs are as they were and no guard byte was overwritten */
    char error[480];          /* "" when the last run went well */
    void *inside;
} op_trial;

enum {
    RUN_BACKWARD = 1,
    RUN_VIEWS =
        2, /* inputs are views of views of their parameters, outputs are read through a view */
    RUN_INNER = 4, /* inputs are results of another op, so that their gradients live in the slab */
    RUN_ADD = 8,   /* gradients add to those of the last run */
    RUN_LEAN = 16  /* outputs are not kept: y stays as it was */
};

/* NULL: no such op or case, or it fails to record (then why has the sentence). */
op_trial *ag__trial_new(const char *op, int index, char why[480]);
void ag__trial_free(op_trial *t);
void ag__trial_cotangent(op_trial *t, int number); /* draws c */
void ag__trial_run(op_trial *t, unsigned how);

/* Runs the op's kernels without a tape, in blocks of `units`, on arrays of exactly the right size
   that are filled with NaN. Returns 1 when bits differ from the last run, with the place in
   t->error. */
int ag__trial_bare(op_trial *t, int64_t units);

op_trial *ag64__trial_new(const char *op, int index, char why[480]);
void ag64__trial_free(op_trial *t);
void ag64__trial_cotangent(op_trial *t, int number);
void ag64__trial_run(op_trial *t, unsigned how);

#endif
