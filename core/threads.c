/* SPDX-License-Identifier: MIT */
#include "core/core.h"

#include <stdatomic.h>

#ifdef _OPENMP
# include <omp.h>
#endif

enum { MOST_THREADS = 1024 };

static atomic_int chosen; /* 0: never set */

void ag_set_threads(int n)
{
#ifdef _OPENMP
    if (n <= 0) n = omp_get_num_procs();
    if (n > MOST_THREADS) n = MOST_THREADS;
    omp_set_num_threads(n); /* for parallel regions of the calling thread that name no number */
#else
    n = 1;
#endif
    atomic_store(&chosen, n);
}

int ag_threads(void)
{
    int n = atomic_load(&chosen);
#ifdef _OPENMP
    if (n == 0)
        n = omp_get_max_threads(); /* OMP_NUM_THREADS, else the processors that we may use */
#endif
    return n > 0 ? n : 1;
}
