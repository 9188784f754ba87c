/* SPDX-License-Identifier: MIT */
/* An op that ends a tape instead of a loss: it takes the time between forward and backward, and
   returns made-up gradients, so that neither a loss nor its gradient is timed. */
#ifndef BENCH_MARK_H
#define BENCH_MARK_H

#include "autograd/op.h"

typedef struct bench_mark {
    int evict; /* 1: backward starts from empty caches */
    double forward_end, backward_start;
} bench_mark;
extern bench_mark bench_marked; /* by the last run */

/* The scalar that a run starts from, over n tensors. */
ag_tensor *bench_mark_all(ag_tensor *const *x, int n);

#endif
