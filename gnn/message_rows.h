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

/* ---- the end ---- */

/* A pooled graph has fewer messages than its arrays have places: values of messages are 0 in the
 * places after the last message. */

/* The place after the last message. The row of a node without messages may begin anywhere. */
AG_BOTH int last_message(const int32_t *rows, int nodes)
{
    for (int64_t v = nodes - 1; v >= 0; v--)
        if (rows[2 * v + 1]) return rows[2 * v] + rows[2 * v + 1];
    return 0;
}

/* The unit of the last node clears what no node writes: f values of each place of y [messages, f].
 */
KERNEL void clear_tail(ag_real *y, const int32_t *rows, int64_t r, int nodes, int64_t messages,
                       int64_t f, const int add)
{
    if (add || r + 1 < nodes) return;
    for (int64_t p = last_message(rows, nodes); p < messages; p++)
        EACH (i, f) y[p * f + i] = 0;
}

#endif
