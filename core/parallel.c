/* SPDX-License-Identifier: MIT */
#include "core/parallel.h"
#include "core/stream.h"

#ifdef _OPENMP
# include <omp.h>
#endif
void ag__parallel(int64_t blocks, void (*body)(void *context, int64_t block, int thread),
                  void *context)
{
#ifdef _OPENMP
    /* A matrix product called in a block must not start threads of its own. Within a team it does
     * not; a single block goes without one, since even a team of one costs a system call. */
    if (blocks <= 1) {
        const int threads = omp_get_max_threads();
        omp_set_num_threads(1);
        if (blocks == 1) body(context, 0, 0);
        omp_set_num_threads(threads);
        ag__stream_end();
        return;
    }
# pragma omp parallel num_threads(ag_threads())
    {
        const int thread = omp_get_thread_num();
# pragma omp for schedule(dynamic)
        for (int64_t block = 0; block < blocks; block++) {
            body(context, block, thread);
            ag__stream_end();
        }
    }
#else
    for (int64_t block = 0; block < blocks; block++) body(context, block, 0);
    ag__stream_end();
#endif
}
