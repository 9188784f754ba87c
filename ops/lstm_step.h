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

static inline lstm_sizes lstm_sizes_of(const ag_args *a)
{
    return (lstm_sizes){a->xs[0].size[0], a->xs[0].size[1], a->xs[3].size[1], a->xs[1].size[0] - 1};
}

/* The gates hold x w_input' and become the gates; fills the other outputs. */
void ag__lstm_forward(const ag_args *a);

/* The gates become the gradient of what they are functions of; rows outside of all sequences 0. */
void ag__lstm_backward(const ag_args *a);

/* Elements of scratch that these want. */
int64_t ag__lstm_scratch(lstm_sizes s, int backward);

#endif
