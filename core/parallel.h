/* SPDX-License-Identifier: MIT */
/* Blocks of work on all threads. The results of a block must not depend on the thread that computes
   it. */
#ifndef AG_CORE_PARALLEL_H
#define AG_CORE_PARALLEL_H

#include "core/threads.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AG__MOST_THREADS = 1024 };

/* Like ag_parallel, but only the caller computes when `work` is too small to be divided. `work` is
   roughly the number of elements that all blocks together process. Derive it from sizes, not from
   the machine. */
void ag__parallel_work(int64_t work, int64_t blocks, ag_block *body, void *context);

#ifdef __cplusplus
}
#endif

#endif
