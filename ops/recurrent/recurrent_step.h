/* SPDX-License-Identifier: MIT */
/* The steps of an LSTM or a GRU, forward and back. Inputs: x [n,in], starts, w_input [wide,in],
   w_state [wide,h], biases; wide is 4 h or 3 h. Outputs: the last states or the states of all rows;
   the gates of every row [n,wide]; what else is kept of every row, [2,n,h] or [4,n,h]; the ranks,
   [2 sequences + n + 1]. */
#ifndef AG_OPS_RECURRENT_STEP_H
#define AG_OPS_RECURRENT_STEP_H

#include "core/kernel.h"

/* Integer attributes. Of the op: ALL_STATES, 1 to return the states of all rows; BACKWARDS, 1 to
   run each sequence from its last row to its first. Of a step: STEP, its number; ACTIVE, how many
   ranks have it. */
enum { ALL_STATES, BACKWARDS, STEP, ACTIVE };

typedef struct recurrent_sizes {
    int n, in, h, wide, sequences;
} recurrent_sizes;

AG_BOTH recurrent_sizes recurrent_sizes_of(const ag_args *a)
{
    recurrent_sizes s;
    s.n = a->xs[0].size[0];
    s.in = a->xs[0].size[1];
    s.h = a->xs[3].size[1];
    s.wide = a->xs[3].size[0];
    s.sequences = a->xs[1].size[0] - 1;
    return s;
}

/* Elements of state, cell and product of all sequences. */
AG_BOTH int64_t recurrent_stepped(recurrent_sizes s)
{
    return s.sequences * (2 * (int64_t)s.h + s.wide);
}

/* Y(3): by rank, the sequence and the row that it begins with; then the number of sequences with at
   least t rows, t = 0..n. */
typedef struct recurrent_ranks {
    int32_t *sequence, *first, *at_least;
} recurrent_ranks;

AG_BOTH recurrent_ranks recurrent_ranks_of(const ag_args *a, recurrent_sizes s)
{
    recurrent_ranks by;
    by.sequence = YI(3);
    by.first = by.sequence + s.sequences;
    by.at_least = by.first + s.sequences;
    return by;
}

/* A start outside of the rows counts as the nearest end, one below the previous start as equal to
   it. */
AG_BOTH int recurrent_start(const int32_t *starts, recurrent_sizes s, int g, int least)
{
    const int start = starts[g] < s.n ? starts[g] : s.n;
    return start > least ? start : least;
}

/* The row with which a sequence of rows first..end-1 begins. */
AG_BOTH int recurrent_first(const ag_args *a, int first, int end)
{
    return a->attr.i[BACKWARDS] ? end - 1 : first;
}

/* The output of gates holds x w_input' and becomes the gates; the other outputs are filled. `step`
   is the kernel of a step, over ranks. */
void ag__recurrent_forward(const ag_args *a, const ag_kernel *step);
void ag__recurrent_forward_there(const ag_args *a, const ag_kernel *step); /* on a device */

/* The gates become the gradients of their arguments, and 0 in rows outside of all sequences. */
void ag__recurrent_backward(const ag_args *a, const ag_kernel *step_back);
void ag__recurrent_backward_there(const ag_args *a, const ag_kernel *step_back);

/* Elements of scratch that these functions need. */
int64_t ag__recurrent_scratch(const ag_args *a, int backward);

#endif
