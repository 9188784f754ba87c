/* SPDX-License-Identifier: MIT */
#include "core/parallel.h"
#include "core/stream.h"

#ifdef _OPENMP
# include <omp.h>
#endif

#ifdef _OPENMP
/* A matrix product called in a block must not start threads of its own. Within a team of several it
   does not; a team of one is none, and costs a system call. */
static void run_alone(int64_t blocks, ag__block *body, void *context)
{
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    for (int64_t block = 0; block < blocks; block++) body(context, block, 0);
    omp_set_num_threads(threads);
    ag__stream_end();
}

/* Few blocks are dealt out in order: those that touch the same rows go to the same thread in every
   op, whose cache has them. Many go to whom is free. */
enum { FEW = 2 }; /* per thread */

void ag__parallel(int64_t blocks, ag__block *body, void *context)
{
    const int threads = ag_threads(), few = blocks <= FEW * (int64_t)threads;
    if (blocks <= 1 || threads == 1) {
        run_alone(blocks, body, context);
        return;
    }
# pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num();
        if (few) {
# pragma omp for schedule(static) nowait
            for (int64_t block = 0; block < blocks; block++) body(context, block, thread);
        } else {
# pragma omp for schedule(dynamic) nowait
            for (int64_t block = 0; block < blocks; block++) body(context, block, thread);
        }
        ag__stream_end();
    }
}
#else
void ag__parallel(int64_t blocks, ag__block *body, void *context)
{
    for (int64_t block = 0; block < blocks; block++) body(context, block, 0);
    ag__stream_end();
}
#endif
