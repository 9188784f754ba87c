/* SPDX-License-Identifier: MIT */
/* Refusals that the host execution shares with a GPU, memory that is used again, parts of warps,
   and the order of equal keys. Other results the library's tests see, which run on it. */
#include <cub/device/device_radix_sort.cuh>

#include "selftest.hpp"

#include <math.h>
#ifdef AG_CUDA_ON_HOST
# include "cuda_on_host.h"
#endif

namespace
{

__global__ void fill(float *x, float v) { x[threadIdx.x] = v; }

/* As much memory as there is, again and again, in parts and as a whole. */
void test_allocations()
{
    size_t before, after, total;
    void *p = NULL;
    EXPECT(cudaMalloc(&p, (size_t)1 << 50) == cudaErrorMemoryAllocation && !p);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    DONE(cudaMemGetInfo(&before, &total));
    EXPECT(before <= total && before > total / 2);
#ifdef AG_CUDA_ON_HOST
    for (int turn = 0; turn < 3; turn++) {
        void *parts[8], *small;
        for (void *&part : parts) DONE(cudaMalloc(&part, total / 9));
        EXPECT(cudaMalloc(&p, total / 2) == cudaErrorMemoryAllocation);
        for (int i = 3; i < 8; i++) DONE(cudaFree(parts[i]));
        DONE(cudaMalloc(&p, total / 5 * 3)); /* beyond the end of the last part */
        DONE(cudaMalloc(&small, total / 20));
        EXPECT((char *)p + total / 5 * 3 <= (char *)small || (char *)small + total / 20 <= p);
        for (int i = 0; i < 3; i++) DONE(cudaFree(parts[i]));
        DONE(cudaFree(small));
        DONE(cudaFree(p));
        DONE(cudaMalloc(&p, total / 2));
        DONE(cudaFree(p));
    }
    cudaGetLastError();
#endif
    DONE(cudaMemGetInfo(&after, &total));
    EXPECT(after == before);
}

#ifdef AG_CUDA_ON_HOST
# define DYNAMIC(name) float *const name = (float *)cuda_on_host::dynamic_shared()
#else
# define DYNAMIC(name) extern __shared__ float name[]
#endif
__global__ void reverse(float *x, int n)
{
    DYNAMIC(s);
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) s[i] = x[i];
    __syncthreads();
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) x[i] = s[n - 1 - i];
}

/* Sizes that no launch can have, and more shared memory than a block has without asking. */
void test_launches()
{
    const int n = 20000, bytes = n * (int)sizeof(float);
    float *x = zeros<float>((size_t)n), v = 1;
    DONE(cudaMemcpyAsync(x, &v, sizeof v, cudaMemcpyHostToDevice, one));
    EXPECT(start(one, 0, 32, fill, x, v) == cudaErrorInvalidConfiguration);
    EXPECT(start(one, 1, 1025, fill, x, v) == cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(start_shared(one, 1, 256, (size_t)bytes, reverse, x, n) != cudaSuccess);
    EXPECT(cudaGetLastError() != cudaSuccess);
    DONE(cudaFuncSetAttribute((const void *)reverse, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              bytes));
    DONE(start_shared(one, 1, 256, (size_t)bytes, reverse, x, n));
    const std::vector<float> y = fetched(x, (size_t)n);
    EXPECT(y[0] == 0 && y[(size_t)n - 1] == v);
    DONE(cudaFree(x));
}

/* Bytes of a word belong to different threads. */
__global__ void parts(unsigned char *x)
{
    if (threadIdx.x >= 32) return; /* barriers are for those that are left */
    __syncthreads();
    x[threadIdx.x] = (unsigned char)__shfl_sync(~0u, threadIdx.x, 3, 8);
    __syncwarp(0xffu << threadIdx.x / 8 * 8);
    x[32 + threadIdx.x] = x[threadIdx.x ^ 1]; /* the neighbour has written it */
}

/* Every eight lanes have a value and a __syncwarp of their own. */
void test_parts_of_warps()
{
    unsigned char *x = zeros<unsigned char>(64);
    DONE(start(one, 1, 64, parts, x));
    const std::vector<unsigned char> y = fetched(x, 64);
    for (size_t i = 0; i < 64; i++) EXPECT(y[i] == i % 32 / 8 * 8 + 3);
    DONE(cudaMemsetAsync(x, 7, 3, one)); /* of bytes, too */
    EXPECT(fetched(x, 4) == (std::vector<unsigned char>{7, 7, 7, 3}));
    DONE(cudaFree(x));
}

/* Equal keys keep their order, in which gradients are added. Bit 3 is not looked at. */
void test_sort()
{
    const int n = 6;
    size_t bytes = 0;
    const int *keys = uploaded(std::vector<int>{3, 1, 3, 9, 0, 3});
    const int *values = uploaded(std::vector<int>{0, 1, 2, 3, 4, 5});
    int *sorted = zeros<int>(n), *order = zeros<int>(n);
    for (char *storage : {(char *)NULL, zeros<char>(1 << 16)}) {
        DONE(cub::DeviceRadixSort::SortPairs(storage, bytes, keys, sorted, values, order, n, 0, 3,
                                             one));
        EXPECT(bytes > 0 && bytes <= 1 << 16);
    }
    EXPECT(fetched(order, n) == (std::vector<int>{4, 1, 3, 0, 2, 5}));
    EXPECT(fetched(sorted, n) == (std::vector<int>{0, 1, 9, 3, 3, 3}));
}

/* The error with which a capture ends in which `spoil` did what it cannot hold. */
template <class Spoil> cudaError_t captured(Spoil spoil)
{
    cudaGraph_t graph;
    DONE(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    spoil();
    const cudaError_t error = cudaStreamEndCapture(one, &graph);
    EXPECT(!graph);
    return error;
}

/* Afterwards all is as before. */
void test_spoilt_captures()
{
    void *p;
    float *x = zeros<float>(32);
    EXPECT(captured([] {
               EXPECT(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported);
           }) == cudaErrorStreamCaptureInvalidated);
    EXPECT(captured([&] { EXPECT(cudaMalloc(&p, 100) == cudaErrorStreamCaptureUnsupported); }) ==
           cudaErrorStreamCaptureInvalidated);
    EXPECT(cudaGetLastError() != cudaSuccess);
    DONE(start(one, 1, 32, fill, x, 4.0f));
    EXPECT(fetched(x, 1)[0] == 4);
    DONE(cudaFree(x));
}

/* New memory is NaN, and the loss of a device stays. */
void test_host_execution()
{
#ifdef AG_CUDA_ON_HOST
    float *x = NULL, *none;
    DONE(cudaMalloc(&x, sizeof *x));
    EXPECT((size_t)x % 256 == 0);
    EXPECT(cuda_on_host_checked() || isnan(fetched(x, 1)[0]));
    cuda_on_host_fail("the kernel", cudaErrorIllegalAddress, 2);
    DONE(start(one, 1, 1, fill, x, 1.0f));
    DONE(start(one, 1, 1, fill, x, 2.0f));
    EXPECT(cudaStreamSynchronize(one) == cudaErrorIllegalAddress);
    for (int i = 0; i < 2; i++) EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&none, sizeof *none) == cudaErrorIllegalAddress);
    cuda_on_host_fail(NULL, 0, 0);
    EXPECT(fetched(x, 1)[0] == 1);
    DONE(cudaFree(x));
#endif
}

} // namespace

int main()
{
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess) {
        printf("There is no CUDA device.\n");
        return 77;
    }
    open_streams();
    test_allocations();
    test_launches();
    test_parts_of_warps();
    test_sort();
    test_spoilt_captures();
    test_host_execution();
    printf("%d failed\n", failures);
    return failures != 0;
}
