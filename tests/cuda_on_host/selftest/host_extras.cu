/* SPDX-License-Identifier: MIT */
/* Features of the host execution beyond CUDA: requested failures, reading device memory, counts. */
#include "selftest.hpp"

#include "cuda_on_host.h"

#include <math.h>

namespace
{

__global__ void fill(float *x, float v) { x[threadIdx.x] = v; }

void test_call_fails()
{
    void *p = NULL, *q = NULL;
    cuda_on_host_fail("cudaMalloc", cudaErrorMemoryAllocation, 2);
    DONE(cudaMalloc(&p, 100));
    EXPECT(cudaMalloc(&q, 100) == cudaErrorMemoryAllocation);
    DONE(cudaMalloc(&q, 100));
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    DONE(cudaFree(p));
    DONE(cudaFree(q));
    int n = 5;
    cuda_on_host_fail("cudaGetDeviceCount", cudaErrorNoDevice, 0);
    for (int turn = 0; turn < 3; turn++) EXPECT(cudaGetDeviceCount(&n) == cudaErrorNoDevice && !n);
    cuda_on_host_fail(NULL, 0, 0);
    DONE(cudaGetDeviceCount(&n));
}

/* An error of a kernel shows when it is waited for, and then the device is lost. */
void test_kernel_fails()
{
    float *x = zeros<float>(32), now = -1;
    cuda_on_host_fail("the kernel", cudaErrorIllegalAddress, 2);
    DONE(start(one, 1, 32, fill, x, 1.0f));
    DONE(start(one, 1, 32, fill, x, 2.0f));
    DONE(start(one, 1, 32, fill, x, 3.0f));
    EXPECT(cudaStreamSynchronize(one) == cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&x, 100) == cudaErrorIllegalAddress);
    EXPECT(start(one, 1, 32, fill, x, 4.0f) == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    cuda_on_host_peek(&now, x, sizeof now);
    EXPECT(now == 1);
    cuda_on_host_fail(NULL, 0, 0);
    EXPECT(cudaGetLastError() == cudaSuccess);
    DONE(start(one, 1, 32, fill, x, 5.0f));
    EXPECT(fetched(x, 1)[0] == 5);
    DONE(cudaFree(x));
}

/* Nothing is done before a wait; forgotten and new memory is NaN. */
void test_peek()
{
    float *x = zeros<float>(32), *y = NULL, now = -1;
    const cuda_on_host_counts before = cuda_on_host_count();
    DONE(start(one, 1, 32, fill, x, 1.0f));
    cuda_on_host_peek(&now, x, sizeof now);
    EXPECT(now == 0);
    DONE(cudaStreamSynchronize(one));
    cuda_on_host_peek(&now, x, sizeof now);
    EXPECT(now == 1);
    const cuda_on_host_counts after = cuda_on_host_count();
    EXPECT(after.launches == before.launches + 1 && after.blocks == before.blocks + 1);
    EXPECT(after.threads == before.threads + 32);
    cuda_on_host_forget(x, sizeof now);
    cuda_on_host_peek(&now, x, sizeof now);
    EXPECT(isnan(now));
    DONE(cudaMalloc(&y, sizeof now));
    cuda_on_host_peek(&now, y, sizeof now);
    EXPECT(isnan(now));
    DONE(cudaFree(x));
    DONE(cudaFree(y));
}

} // namespace

void host_extras()
{
    test_call_fails();
    test_kernel_fails();
    test_peek();
}
