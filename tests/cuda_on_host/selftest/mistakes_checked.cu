/* SPDX-License-Identifier: MIT */
/* Mistakes that only the checker finds: races, and reads of memory that was never written. */
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "mistakes.hpp"

namespace
{

/* ---- within a warp ---- */

__global__ void neighbour(float *x)
{
    x[threadIdx.x] = (float)threadIdx.x;
    x[32 + threadIdx.x] = x[threadIdx.x ^ 1];
}

__global__ void shuffle_is_no_barrier(float *x)
{
    x[threadIdx.x] = (float)threadIdx.x;
    const float v = __shfl_xor_sync(~0u, 1.0f, 1);
    x[32 + threadIdx.x] = x[threadIdx.x ^ 1] + v;
}

/* Each half settles, and then one half reads what the other one wrote. */
__global__ void other_half(float *x)
{
    const unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
    x[threadIdx.x] = (float)threadIdx.x;
    __syncwarp(mask);
    x[32 + threadIdx.x] = x[threadIdx.x ^ 16];
}

__global__ void overwrite(float *y, float *x)
{
    y[threadIdx.x] = x[(threadIdx.x + 1) % 32];
    x[threadIdx.x] = 0;
}

/* ---- within a block ---- */

__global__ void reverse(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[63 - threadIdx.x];
}

/* The lanes settle, but not with the other warp of the block. */
__global__ void warp_alone(float *x)
{
    x[threadIdx.x] = 1;
    __syncwarp();
    x[64 + threadIdx.x] = x[threadIdx.x ^ 32];
}

__global__ void scan_twice(int *x)
{
    typedef cub::BlockScan<int, 64> Scan;
    __shared__ Scan::TempStorage storage;
    int before, again, all;
    Scan(storage).ExclusiveSum(x[threadIdx.x], before, all);
    Scan(storage).ExclusiveSum(before, again, all);
    x[threadIdx.x] = again;
}

/* ---- between blocks ---- */

__global__ void all_write(float *x) { *x = 1; }

__global__ void read_other(float *x)
{
    x[blockIdx.x] = 1;
    x[2 + blockIdx.x] = x[1 - blockIdx.x];
}

__global__ void half_atomic(int *x)
{
    atomicAdd(x, 1);
    if (threadIdx.x == 5) *x = 0;
}

/* ---- memory that is unwritten or not its own ---- */

template <class T> T *unwritten(size_t n)
{
    T *p = NULL;
    DONE(cudaMalloc(&p, n * sizeof *p));
    return p;
}
__global__ void get(float *y, const float *x) { *y = *x; }
__global__ void shared_unwritten(float *y)
{
    __shared__ float s[2];
    s[0] = 1;
    *y = s[0] + s[1];
}

__global__ void dynamic(float *y)
{
    float *s = (float *)cuda_on_host::dynamic_shared();
    s[8] = 1;
    *y = s[8];
}

/* Which of the two is seen first depends on the order of the threads. */
const char RACE[] = "reads where another thread writes|writes where another thread reads";

} // namespace

const std::vector<mistake> mistakes_checked = {
    {"a lane reads what its neighbour wrote", [] { launch(1, 32, neighbour, zeros<float>(64)); },
     RACE},
    {"a shuffle is taken for a barrier",
     [] { launch(1, 32, shuffle_is_no_barrier, zeros<float>(64)); }, RACE},
    {"halves of a warp settle alone", [] { launch(1, 32, other_half, zeros<float>(64)); }, RACE},
    {"a lane overwrites what its neighbour reads",
     [] { launch(1, 32, overwrite, zeros<float>(32), zeros<float>(32)); }, RACE},
    {"shared memory without __syncthreads", [] { launch(1, 64, reverse, zeros<float>(64)); },
     "reads where another thread writes|reads shared memory that nobody wrote"},
    {"a warp settles, and another one reads", [] { launch(1, 64, warp_alone, zeros<float>(128)); },
     RACE},
    {"storage of a block is used again at once", [] { launch(1, 64, scan_twice, zeros<int>(64)); },
     RACE},
    {"two blocks write one place", [] { launch(2, 1, all_write, zeros<float>(1)); },
     "writes where another thread writes"},
    {"a block reads what another one writes", [] { launch(2, 1, read_other, zeros<float>(4)); },
     RACE},
    {"an atomic and a plain write", [] { launch(1, 32, half_atomic, zeros<int>(1)); },
     "writes where another thread writes"},
    {"a kernel reads what nobody wrote",
     [] { launch(1, 1, get, zeros<float>(1), (const float *)unwritten<float>(8)); },
     "reads what nobody wrote"},
    {"a copy of what nobody wrote is read",
     [] {
         float *x = zeros<float>(8), *from = unwritten<float>(8);
         DONE(cudaMemcpyAsync(x, from, 8 * sizeof *x, cudaMemcpyDeviceToDevice, one));
         launch(1, 1, get, zeros<float>(1), (const float *)x);
     },
     "reads what nobody wrote"},
    {"what nobody wrote is copied to the host",
     [] {
         float x[8];
         DONE(cudaMemcpyAsync(x, unwritten<float>(8), sizeof x, cudaMemcpyDeviceToHost, one));
     },
     "a copy to the host"},
    {"shared memory that nobody wrote is read",
     [] { launch(1, 1, shared_unwritten, zeros<float>(1)); },
     "reads shared memory that nobody wrote"},
    {"more shared memory than the launch gave",
     [] { DONE(start_shared(one, 1, 1, 32, dynamic, zeros<float>(1))); },
     "beyond what the launch gave"},
    {"a kernel reads memory of the host",
     [] {
         float *x = new float[8]();
         launch(1, 1, get, zeros<float>(1), (const float *)x);
     },
     "touches memory of the host"},
    {"cuBLAS reads what nobody wrote", [] { blas_product(blas_on(one), 1, unwritten<float>(1)); },
     "operand A of cuBLAS"},
    {"a kernel reads what it wrote to a workspace before a product",
     [] {
         const int middle = WORKSPACE / 2 / (int)sizeof(float);
         float *workspace = (float *)zeros<char>(WORKSPACE);
         cublasHandle_t blas = blas_on(one, workspace);
         for (int i = 0; i < 2; i++) { /* the first leaves nothing written */
             if (i) launch(1, 1, get, workspace + middle, (const float *)zeros<float>(1));
             blas_product(blas);
         }
         launch(1, 1, get, zeros<float>(1), (const float *)workspace + middle);
     },
     "reads what nobody wrote"},
    {"CUB reads what nobody wrote",
     [] {
         size_t bytes = 0;
         int *x = unwritten<int>(8), *y = zeros<int>(8);
         cub::DeviceRadixSort::SortPairs(NULL, bytes, x, y, y, y, 8, 0, 4, one);
         DONE(cub::DeviceRadixSort::SortPairs(zeros<char>(bytes), bytes, (const int *)x, y,
                                              (const int *)zeros<int>(8), zeros<int>(8), 8, 0, 4,
                                              one));
     },
     "the keys of a CUB sort"},
};
