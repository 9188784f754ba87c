/* SPDX-License-Identifier: MIT */
/* The steps of an LSTM, forward and back. Inputs x [n,in], starts, w_input, w_state [4h,h], bias;
   outputs: the last states, the gates of every row [n,4h], state and cell before it [2,n,h], ranks
   [2 sequences + n + 1]. */
#ifndef AG_OPS_LSTM_STEP_H
#define AG_OPS_LSTM_STEP_H

#include "core/kernel.h"

typedef struct lstm_sizes {
    int n, in, h, sequences;
} lstm_sizes;

AG_BOTH lstm_sizes lstm_sizes_of(const ag_args *a)
{
    lstm_sizes s;
    s.n = a->xs[0].size[0];
    s.in = a->xs[0].size[1];
    s.h = a->xs[3].size[1];
    s.sequences = a->xs[1].size[0] - 1;
    return s;
}

/* Y(3): by rank, the sequence and its first row; then the number of sequences with at least t rows,
   t = 0..n. */
typedef struct lstm_ranks {
    int32_t *sequence, *first, *at_least;
} lstm_ranks;

AG_BOTH lstm_ranks lstm_ranks_of(const ag_args *a, lstm_sizes s)
{
    lstm_ranks by;
    by.sequence = YI(3);
    by.first = by.sequence + s.sequences;
    by.at_least = by.first + s.sequences;
    return by;
}

/* A start outside of the rows is taken as the nearest end, one below its predecessor as that. */
AG_BOTH int lstm_start(const int32_t *starts, lstm_sizes s, int g, int least)
{
    const int start = starts[g] < s.n ? starts[g] : s.n;
    return start > least ? start : least;
}

/* The gates hold x w_input' and become the gates; fills the other outputs. */
void ag__lstm_forward(const ag_args *a);
void ag__lstm_forward_there(const ag_args *a); /* on a device */

/* The gates become the gradient of what they are functions of; rows outside of all sequences 0. */
void ag__lstm_backward(const ag_args *a);
void ag__lstm_backward_there(const ag_args *a);

/* Elements of scratch that these want. */
int64_t ag__lstm_scratch(lstm_sizes s, int backward);
int64_t ag__lstm_scratch_there(lstm_sizes s);

#endif
