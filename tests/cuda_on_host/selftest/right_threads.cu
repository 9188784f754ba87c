/* SPDX-License-Identifier: MIT */
/* Warp functions, barriers, shared memory, atomics, and where a thread is. */
#include "selftest.hpp"

namespace
{

__global__ void shuffles(int *y)
{
    const int me = (int)threadIdx.x;
    y[me] = __shfl_sync(~0u, me, 5);
    y[64 + me] = __shfl_xor_sync(~0u, me, 16);
    y[128 + me] = __shfl_sync(~0u, me, 9, 8); /* in groups of 8: lane 1 of each */
}

void test_shuffles()
{
    int *d = zeros<int>(192);
    DONE(start(one, 1, 64, shuffles, d));
    const std::vector<int> y = fetched(d, 192);
    for (int me = 0; me < 64; me++) {
        const int lane = me & 31, first = me - lane;
        EXPECT(y[(size_t)me] == first + 5);
        EXPECT(y[(size_t)(64 + me)] == first + (lane ^ 16));
        EXPECT(y[(size_t)(128 + me)] == first + lane / 8 * 8 + 1);
    }
    DONE(cudaFree(d));
}

/* Half warps run separately, and each settles its own writes. */
__global__ void halves(float *x)
{
    const int lane = (int)threadIdx.x;
    const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    x[lane] = (float)lane;
    if (lane < 16)
        __syncwarp(mask);
    else
        __syncwarp(mask);
    const float neighbour = x[lane ^ 1];
    if (lane < 16)
        __syncwarp(mask);
    else
        __syncwarp(mask);
    x[lane] = neighbour;
}

void test_halves()
{
    float *d = zeros<float>(32);
    DONE(start(one, 1, 32, halves, d));
    const std::vector<float> x = fetched(d, 32);
    for (size_t i = 0; i < 32; i++) EXPECT(x[i] == (float)(i ^ 1));
    DONE(cudaFree(d));
}

/* A block of rows, as many lanes each as it is wide; row r meets r + 1 times, by itself. */
__global__ void rows_of_lanes(int *y)
{
    const int lanes = (int)blockDim.x, r = (int)threadIdx.y;
    const unsigned mask = ~0u >> (32 - lanes) << (r * lanes % 32);
    int v = r * lanes + (int)threadIdx.x, sum = 0;
    for (int k = 0; k <= r; k++) {
        sum = v;
        for (int o = lanes / 2; o; o >>= 1) sum += __shfl_xor_sync(mask, sum, o);
        __syncwarp(mask);
    }
    y[v] = sum + 10000 * __shfl_sync(mask, (int)threadIdx.x, lanes - 1, lanes);
}

void test_rows()
{
    for (int lanes = 1; lanes <= 32; lanes *= 2) {
        int *d = zeros<int>(64);
        DONE(start(one, 1, dim3((unsigned)lanes, (unsigned)(64 / lanes)), rows_of_lanes, d));
        const std::vector<int> y = fetched(d, 64);
        for (int i = 0; i < 64; i++) {
            const int first = i / lanes * lanes, sum = lanes * first + lanes * (lanes - 1) / 2;
            EXPECT(y[(size_t)i] == sum + 10000 * (lanes - 1));
        }
        DONE(cudaFree(d));
    }
}

__global__ void reverse(float *x)
{
    __shared__ float s[64];
    x += 64 * blockIdx.x;
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x];
}

#ifdef AG_CUDA_ON_HOST
# define DYNAMIC(name) float *const name = (float *)cuda_on_host::dynamic_shared()
#else
# define DYNAMIC(name) extern __shared__ float name[]
#endif
__global__ void reverse_much(float *x, int n)
{
    DYNAMIC(s);
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) s[i] = x[i];
    __syncthreads();
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) x[i] = s[n - 1 - i];
}

void test_shared()
{
    std::vector<float> x(64 * 3);
    for (size_t i = 0; i < x.size(); i++) x[i] = (float)i;
    float *d = uploaded(x);
    DONE(start(one, 3, 64, reverse, d));
    std::vector<float> y = fetched(d, x.size());
    for (size_t i = 0; i < x.size(); i++) EXPECT(y[i] == x[i / 64 * 64 + 63 - i % 64]);
    DONE(cudaFree(d));

    const int n = 20000; /* more than a block has without asking */
    std::vector<float> much((size_t)n);
    for (int i = 0; i < n; i++) much[(size_t)i] = (float)i;
    d = uploaded(much);
    EXPECT(start_shared(one, 1, 256, n * sizeof(float), reverse_much, d, n) != cudaSuccess);
    EXPECT(cudaGetLastError() != cudaSuccess);
    DONE(cudaFuncSetAttribute((const void *)reverse_much,
                              cudaFuncAttributeMaxDynamicSharedMemorySize, n * (int)sizeof(float)));
    DONE(start_shared(one, 1, 256, n * sizeof(float), reverse_much, d, n));
    y = fetched(d, (size_t)n);
    EXPECT(y[0] == (float)(n - 1) && y[1] == (float)(n - 2) && y[(size_t)n - 1] == 0);
    DONE(cudaFree(d));
}

__global__ void where(unsigned *y)
{
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    y[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

void test_places()
{
    const unsigned blocks = 2 * 3 * 5, threads = 4 * 3 * 2;
    unsigned *d = zeros<unsigned>(blocks * threads);
    DONE(start(one, dim3(2, 3, 5), dim3(4, 3, 2), where, d));
    const std::vector<unsigned> y = fetched(d, blocks * threads);
    for (unsigned i = 0; i < blocks * threads; i++)
        EXPECT(y[i] == i / threads * 1000 + i % threads);
    EXPECT(start(one, 0, 32, where, d) == cudaErrorInvalidConfiguration);
    EXPECT(start(one, 1, 1025, where, d) == cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError() == cudaSuccess);
    DONE(cudaFree(d));
}

__global__ void count_up(int *sum) { atomicAdd(sum, (int)(blockIdx.x * blockDim.x + threadIdx.x)); }

void test_atomics()
{
    int *sum = zeros<int>(1);
    DONE(start(one, 4, 64, count_up, sum));
    EXPECT(fetched(sum, 1)[0] == 255 * 128);
    DONE(cudaFree(sum));
}

/* Threads that have returned are not waited for, and bytes of a word belong to different threads.
 */
__global__ void some_return(unsigned char *y, int n)
{
    if ((int)threadIdx.x >= n) return;
    y[threadIdx.x] = 1;
    __syncthreads();
    y[n + (int)threadIdx.x] = (unsigned char)(y[(threadIdx.x + 1) % (unsigned)n] + 1);
}

void test_returned()
{
    unsigned char *d = zeros<unsigned char>(96);
    DONE(start(one, 1, 64, some_return, d, 48));
    const std::vector<unsigned char> y = fetched(d, 96);
    EXPECT(y[0] == 1 && y[47] == 1 && y[48] == 2 && y[95] == 2);
    DONE(cudaFree(d));
}

/* A device keeps subnormal numbers. */
__global__ void half_of(float *x) { *x *= 0.5f; }

void test_subnormal()
{
    const float least = 1.17549435e-38f;
    float *d = uploaded(std::vector<float>(1, least));
    DONE(start(one, 1, 1, half_of, d));
    EXPECT(fetched(d, 1)[0] == least / 2);
    DONE(cudaFree(d));
}

} // namespace

void right_threads()
{
    test_shuffles();
    test_halves();
    test_rows();
    test_shared();
    test_places();
    test_atomics();
    test_returned();
    test_subnormal();
}
