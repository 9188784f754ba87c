/* SPDX-License-Identifier: MIT */
/* Blocks of work on all threads. What a block computes must not depend on who computes it. */
#ifndef AG_CORE_PARALLEL_H
#define AG_CORE_PARALLEL_H

#include "core/core.h"

typedef void ag__block(void *context, int64_t block, int thread);

#ifdef __cplusplus
extern "C" {
#endif

/* Runs body(context, block, thread) for each block of 0..blocks-1 and returns when all are done.
   thread is 0..ag_threads()-1, and no other block of this call has it at that time. The threads are
   those of the library, and the caller's: what a call made from a block, or while another thread of
   the program has them, asks for is run by its caller alone. A block may not wait for another. */
void ag__parallel(int64_t blocks, ag__block *body, void *context);

/* The same, on the caller alone when `work`, about the number of elements that all blocks together
   go through, is too little to be divided. Give what follows from sizes, not from the machine. */
void ag__parallel_work(int64_t work, int64_t blocks, ag__block *body, void *context);

/* Starts the threads now instead of in the first call above. Returns how many there are, at most
   ag_threads(), the caller's among them: fewer where the system gives no more, and that many will
   do the work. */
int ag__parallel_start(void);

#ifdef __cplusplus
}
#endif

#endif
