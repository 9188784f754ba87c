/* SPDX-License-Identifier: MIT */
/* Prefix sums over the threads of a block. There is no barrier at the end: before the storage is
   used again, __syncthreads must be called, as in CUB. */
#ifndef CUDA_ON_HOST_CUB_BLOCK_SCAN_CUH
#define CUDA_ON_HOST_CUB_BLOCK_SCAN_CUH

#include "cuda_runtime.h"

namespace cub
{

template <class T, int THREADS> class BlockScan
{
  public:
    struct TempStorage {
        T given[THREADS];
    };

    explicit BlockScan(TempStorage &storage) : store(storage) {}

    void ExclusiveSum(T in, T &out, T &total)
    {
        if (blockDim.x != THREADS || blockDim.y != 1 || blockDim.z != 1)
            cuda_on_host::misuse("cub::BlockScan is for %d threads, but the block has %u", THREADS,
                                 blockDim.x * blockDim.y * blockDim.z);
        T before = 0, all = 0;
        store.given[threadIdx.x] = in;
        __syncthreads();
        for (int i = 0; i < THREADS; i++) {
            if (i < (int)threadIdx.x) before = (T)(before + store.given[i]);
            all = (T)(all + store.given[i]);
        }
        out = before;
        total = all;
    }

  private:
    TempStorage &store;
};

} // namespace cub

#endif
