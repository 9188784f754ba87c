/* SPDX-License-Identifier: MIT */
/* Values of messages: those into a node are adjacent, in order. */
#ifndef AG_GNN_MESSAGE_ROWS_H
#define AG_GNN_MESSAGE_ROWS_H

#include "core/kernel.h"

/* Values of a row: all axes but the first. */
AG_BOTH int64_t values_of(ag_shape s) { return s.size[0] ? ag__sizes(s, 1, s.rank) : 0; }

/* y = or += the sum of n rows of f values. */
KERNEL void sum_messages(ag_real *to, const ag_real *x, int n, int64_t f, const int add)
{
    ag_real *__restrict__ y = to;
    if (!add)
        EACH (i, f) y[i] = 0;
    for (int k = 0; k < n; k++, x += f)
        EACH (i, f) y[i] += x[i];
}

#endif
