/* SPDX-License-Identifier: MIT */
/* Warp functions and barriers that not all come to, or not to the same one. */
#include <cub/block/block_scan.cuh>

#include "mistakes.hpp"

namespace
{

__global__ void two_barriers(float *x)
{
    if (threadIdx.x < 16) {
        x[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
    }
}

__global__ void barrier_for_some(float *x)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
    if (threadIdx.x == 40) __syncwarp(1u << 8 | 1u << 9); /* lane 9 goes to the barrier */
    __syncthreads();
}

__global__ void some_are_gone(float *x)
{
    if (threadIdx.x >= 20) return;
    x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
}

__global__ void no_such_lanes(float *x)
{
    x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
}

__global__ void not_named(float *x) { x[threadIdx.x] = __shfl_sync(0xffffu, x[threadIdx.x], 0); }

__global__ void outside_of_mask(float *x)
{
    if (threadIdx.x < 16) x[threadIdx.x] = __shfl_xor_sync(0xffffu, x[threadIdx.x], 16);
}

__global__ void two_shuffles(float *x)
{
    if (threadIdx.x < 16)
        x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
    else
        x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 2);
}

__global__ void two_masks(float *x)
{
    const unsigned mask = threadIdx.x == 0 ? 0x3u : ~0u;
    x[threadIdx.x] = __shfl_xor_sync(mask, x[threadIdx.x], 1);
}

/* Rows of 8 lanes go on for different times, but each asks the whole warp. */
__global__ void rows_ask_all(float *x)
{
    float v = x[threadIdx.y * 8 + threadIdx.x];
    for (unsigned k = 0; k <= threadIdx.y; k++) v += __shfl_xor_sync(~0u, v, 1);
    x[threadIdx.y * 8 + threadIdx.x] = v;
}

/* Rows of 8 lanes name those of rows of 4. */
__global__ void rows_ask_half(float *x)
{
    const unsigned at = threadIdx.y * 8 + threadIdx.x;
    x[at] = __shfl_xor_sync(0xfu << (at / 4 * 4), x[at], 4);
}

__global__ void odd_width(float *x)
{
    x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1, 12);
}

__global__ void scan_of_64(int *x)
{
    __shared__ cub::BlockScan<int, 64>::TempStorage storage;
    int before, all;
    cub::BlockScan<int, 64>(storage).ExclusiveSum(x[threadIdx.x], before, all);
    x[threadIdx.x] = before;
}

__global__ void deep(float *x)
{
    volatile char much[400 << 10];
    much[0] = (char)x[0];
    x[0] = much[0];
}

__global__ void nowhere(float *x) { *x = 1; }

} // namespace

const std::vector<mistake> mistakes_of_threads = {
    {"threads wait at two barriers", [] { launch(1, 32, two_barriers, zeros<float>(32)); },
     "wait at two __syncthreads"},
    {"lanes wait for one that waits elsewhere",
     [] { launch(1, 64, barrier_for_some, zeros<float>(64)); }, "threads wait for ever"},
    {"a shuffle names lanes that returned", [] { launch(1, 32, some_are_gone, zeros<float>(32)); },
     "has returned"},
    {"a shuffle names lanes that the block does not have",
     [] { launch(1, 20, no_such_lanes, zeros<float>(32)); }, "is not there"},
    {"a lane is not in its own mask", [] { launch(1, 32, not_named, zeros<float>(32)); },
     "which does not name it"},
    {"a shuffle reads a lane outside of its mask",
     [] { launch(1, 32, outside_of_mask, zeros<float>(32)); }, "does not name"},
    {"lanes of a warp are at two shuffles", [] { launch(1, 32, two_shuffles, zeros<float>(32)); },
     "lanes of a warp are apart"},
    {"lanes of a warp name different lanes", [] { launch(1, 32, two_masks, zeros<float>(32)); },
     "with different masks"},
    {"rows within a warp name all of it",
     [] { launch(1, dim3(8, 4), rows_ask_all, zeros<float>(32)); }, "has returned"},
    {"rows name half of their lanes",
     [] { launch(1, dim3(8, 4), rows_ask_half, zeros<float>(32)); }, "does not name"},
    {"a shuffle has a width of 12", [] { launch(1, 32, odd_width, zeros<float>(32)); },
     "power of two"},
    {"a block-wide sum in a block of another size",
     [] { launch(1, 32, scan_of_64, zeros<int>(64)); }, "but the block has 32"},
    {"a thread overflows its stack", [] { launch(1, 1, deep, zeros<float>(1)); },
     "overflows its stack"},
    {"a kernel follows NULL", [] { launch(1, 1, nowhere, (float *)NULL); }, "no memory at"},
};
