/* SPDX-License-Identifier: MIT */
/* Blocks of work on all threads. What a block computes must not depend on who computes it. */
#ifndef AG_CORE_PARALLEL_H
#define AG_CORE_PARALLEL_H

#include "core/threads.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ag_parallel, only on the caller when `work`, about the number of elements that all blocks
   together go through, is too little to be divided. Give what follows from sizes, not from the
   machine. */
void ag__parallel_work(int64_t work, int64_t blocks, ag_block *body, void *context);

#ifdef __cplusplus
}
#endif

#endif
