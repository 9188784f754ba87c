/* SPDX-License-Identifier: MIT */
/* Sums over the threads of a block; thread 0 alone gets the result. There is no barrier at the end:
   before the storage is used again, __syncthreads must be called, as in CUB. */
#ifndef CUDA_ON_HOST_CUB_BLOCK_REDUCE_CUH
#define CUDA_ON_HOST_CUB_BLOCK_REDUCE_CUH

#include "cuda_runtime.h"

namespace cub
{

template <class T, int THREADS> class BlockReduce
{
  public:
    struct TempStorage {
        T given[THREADS];
    };

    explicit BlockReduce(TempStorage &storage) : store(storage) {}

    template <class Join> T Reduce(T in, Join join)
    {
        if (blockDim.x != THREADS || blockDim.y != 1 || blockDim.z != 1)
            cuda_on_host::misuse("cub::BlockReduce is for %d threads, but the block has %u",
                                 THREADS, blockDim.x * blockDim.y * blockDim.z);
        store.given[threadIdx.x] = in;
        __syncthreads();
        T all;
        if (threadIdx.x) { /* other threads get a value that must not be used */
            memset(&all, 0xff, sizeof all);
            return all;
        }
        all = store.given[0];
        for (int i = 1; i < THREADS; i++) all = join(all, store.given[i]);
        return all;
    }
    T Sum(T in)
    {
        return Reduce(in, [](T a, T b) { return (T)(a + b); });
    }

  private:
    TempStorage &store;
};

} // namespace cub

#endif
