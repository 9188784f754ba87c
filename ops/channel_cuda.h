/* SPDX-License-Identifier: MIT */
/* Channel attention on a device, which attend has, too. */
#ifndef AG_OPS_CHANNEL_CUDA_H
#define AG_OPS_CHANNEL_CUDA_H

#include "autograd/op.h"

/* Inputs x w1 b1 w2 b2; outputs the result and the hidden rows. */
extern const ag_kernels ag__channel_attention_cuda;

#endif
