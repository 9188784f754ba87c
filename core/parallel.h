/* SPDX-License-Identifier: MIT */
/* Blocks of work on all threads. What a block computes must not depend on who computes it. */
#ifndef AG_CORE_PARALLEL_H
#define AG_CORE_PARALLEL_H

#include "core/core.h"

typedef void ag__block(void *context, int64_t block, int thread);

/* Runs body(context, block, thread) for each block of 0..blocks-1; thread is 0..ag_threads()-1. */
void ag__parallel(int64_t blocks, ag__block *body, void *context);

#endif
