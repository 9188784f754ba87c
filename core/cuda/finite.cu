/* SPDX-License-Identifier: MIT */
/* Index of the first value that is not finite: each thread looks at its share, a block takes the
   smallest index, and the host takes the smallest of all blocks. */
#include "core/cuda/inside.h"
#include "core/kernel.h"

enum { FINITE_BLOCKS = 256, FINITE_THREADS = 256 };

static __global__ void first_bad_grid(long long *to, const ag_real *x, int64_t n)
{
    __shared__ long long least[FINITE_THREADS];
    const int me = (int)threadIdx.x;
    long long at = INT64_MAX;
    for (int64_t i = (int64_t)blockIdx.x * FINITE_THREADS + me; i < n;
         i += (int64_t)FINITE_BLOCKS * FINITE_THREADS)
        if (at == INT64_MAX && !isfinite(x[i])) at = i;
    least[me] = at;
    __syncthreads();
    for (int half = FINITE_THREADS / 2; half; half /= 2) {
        if (me < half && least[me + half] < least[me]) least[me] = least[me + half];
        __syncthreads();
    }
    if (me == 0) to[blockIdx.x] = least[0];
}

extern "C" int64_t ag__device_first_bad(const ag_real *x, int64_t n)
{
    long long found[FINITE_BLOCKS], at = INT64_MAX;
    ag__cuda_device *d = ag__cuda_here();
    const std::lock_guard<std::recursive_mutex> held(d->lock);
    for (int i = 0; i < FINITE_BLOCKS; i++) found[i] = INT64_MAX; /* should the device fail */
    AG__START(first_bad, FINITE_BLOCKS, FINITE_THREADS, (long long *)(void *)ag__cuda_small(), x,
              n);
    ag__device_download(found, ag__cuda_small(), sizeof found);
    for (int i = 0; i < FINITE_BLOCKS; i++) at = found[i] < at ? found[i] : at;
    return at == INT64_MAX ? -1 : at;
}
