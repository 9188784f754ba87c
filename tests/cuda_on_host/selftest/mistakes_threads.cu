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
int barriers_apart() { return start(one, 1, 32, two_barriers, zeros<float>(32)) != cudaSuccess; }

__global__ void barrier_for_some(float *x)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
    if (threadIdx.x == 40) __syncwarp(1u << 8 | 1u << 9); /* lane 9 goes to the barrier */
    __syncthreads();
}
int endless_wait() { return start(one, 1, 64, barrier_for_some, zeros<float>(64)) != cudaSuccess; }

__global__ void some_are_gone(float *x)
{
    if (threadIdx.x >= 20) return;
    x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
}
int lanes_gone() { return start(one, 1, 32, some_are_gone, zeros<float>(32)) != cudaSuccess; }

__global__ void no_such_lanes(float *x)
{
    x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
}
int lanes_missing() { return start(one, 1, 20, no_such_lanes, zeros<float>(32)) != cudaSuccess; }

__global__ void not_named(float *x) { x[threadIdx.x] = __shfl_sync(0xffffu, x[threadIdx.x], 0); }
int lane_not_named() { return start(one, 1, 32, not_named, zeros<float>(32)) != cudaSuccess; }

__global__ void outside_of_mask(float *x)
{
    if (threadIdx.x < 16) x[threadIdx.x] = __shfl_xor_sync(0xffffu, x[threadIdx.x], 16);
}
int value_not_named()
{
    return start(one, 1, 32, outside_of_mask, zeros<float>(32)) != cudaSuccess;
}

__global__ void two_shuffles(float *x)
{
    if (threadIdx.x < 16)
        x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
    else
        x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 2);
}
int lanes_apart() { return start(one, 1, 32, two_shuffles, zeros<float>(32)) != cudaSuccess; }

__global__ void two_masks(float *x)
{
    const unsigned mask = threadIdx.x == 0 ? 0x3u : ~0u;
    x[threadIdx.x] = __shfl_xor_sync(mask, x[threadIdx.x], 1);
}
int masks_differ() { return start(one, 1, 32, two_masks, zeros<float>(32)) != cudaSuccess; }

/* Rows of 8 lanes go on for different times, but each asks the whole warp. */
__global__ void rows_ask_all(float *x)
{
    float v = x[threadIdx.y * 8 + threadIdx.x];
    for (unsigned k = 0; k <= threadIdx.y; k++) v += __shfl_xor_sync(~0u, v, 1);
    x[threadIdx.y * 8 + threadIdx.x] = v;
}
int mask_of_all()
{
    return start(one, 1, dim3(8, 4), rows_ask_all, zeros<float>(32)) != cudaSuccess;
}

/* Rows of 8 lanes name those of rows of 4. */
__global__ void rows_ask_half(float *x)
{
    const unsigned at = threadIdx.y * 8 + threadIdx.x;
    x[at] = __shfl_xor_sync(0xfu << (at / 4 * 4), x[at], 4);
}
int mask_of_half()
{
    return start(one, 1, dim3(8, 4), rows_ask_half, zeros<float>(32)) != cudaSuccess;
}

__global__ void odd_width(float *x)
{
    x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1, 12);
}
int width_odd() { return start(one, 1, 32, odd_width, zeros<float>(32)) != cudaSuccess; }

__global__ void scan_of_64(int *x)
{
    __shared__ cub::BlockScan<int, 64>::TempStorage storage;
    int before, all;
    cub::BlockScan<int, 64>(storage).ExclusiveSum(x[threadIdx.x], before, all);
    x[threadIdx.x] = before;
}
int block_size() { return start(one, 1, 32, scan_of_64, zeros<int>(64)) != cudaSuccess; }

__global__ void deep(float *x)
{
    volatile char much[400 << 10];
    much[0] = (char)x[0];
    x[0] = much[0];
}
int stack_overflow() { return start(one, 1, 1, deep, zeros<float>(1)) != cudaSuccess; }

__global__ void nowhere(float *x) { *x = 1; }
int no_pointer() { return start(one, 1, 1, nowhere, (float *)NULL) != cudaSuccess; }

} // namespace

MISTAKES(mistakes_of_threads,
         {
             {"threads wait at two barriers", barriers_apart, "wait at two __syncthreads"},
             {"lanes wait for one that waits elsewhere", endless_wait, "threads wait for ever"},
             {"a shuffle names lanes that returned", lanes_gone, "has returned"},
             {"a shuffle names lanes that the block does not have", lanes_missing, "is not there"},
             {"a lane is not in its own mask", lane_not_named, "which does not name it"},
             {"a shuffle reads a lane outside of its mask", value_not_named, "does not name"},
             {"lanes of a warp are at two shuffles", lanes_apart, "lanes of a warp are apart"},
             {"lanes of a warp name different lanes", masks_differ, "with different masks"},
             {"rows within a warp name all of it", mask_of_all, "has returned"},
             {"rows name half of their lanes", mask_of_half, "does not name"},
             {"a shuffle has a width of 12", width_odd, "power of two"},
             {"a block-wide sum in a block of another size", block_size, "but the block has 32"},
             {"a thread overflows its stack", stack_overflow, "overflows its stack"},
             {"a kernel follows NULL", no_pointer, "no memory at"},
         });
