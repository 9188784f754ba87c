/* SPDX-License-Identifier: MIT */
/* Memory, copies, and calls that fail. */
#include "selftest.hpp"

#include <string.h>

namespace
{

void test_copies()
{
    std::vector<int> from(1000);
    for (size_t i = 0; i < from.size(); i++) from[i] = (int)i * 7;
    int *a = uploaded(from), *b = zeros<int>(1000), *pinned = NULL;
    DONE(cudaMallocHost(&pinned, 1000 * sizeof *pinned));
    DONE(cudaMemcpyAsync(b, a, 1000 * sizeof *a, cudaMemcpyDeviceToDevice, one));
    DONE(cudaMemcpyAsync(pinned, b, 1000 * sizeof *b, cudaMemcpyDefault, one));
    DONE(cudaStreamSynchronize(one));
    EXPECT(memcmp(pinned, from.data(), 1000 * sizeof *pinned) == 0);
    DONE(cudaMemsetAsync(b, 0x11, 3 * sizeof *b, one)); /* a part of it */
    const std::vector<int> part = fetched(b, 4);
    EXPECT(part[0] == 0x11111111 && part[2] == 0x11111111 && part[3] == 21);
    DONE(cudaFreeHost(pinned));
    DONE(cudaFree(a));
    DONE(cudaFree(b));
}

/* Freed memory can be allocated again, in parts and as a whole. */
void test_allocations()
{
    size_t before, after, total;
    void *p = NULL, *parts[8];
    EXPECT(cudaMalloc(&p, (size_t)1 << 50) == cudaErrorMemoryAllocation && !p);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    DONE(cudaMemGetInfo(&before, &total));
    EXPECT(before <= total && before > total / 2);
#ifdef AG_CUDA_ON_HOST /* as much as there is, again and again */
    for (int turn = 0; turn < 3; turn++) {
        for (void *&part : parts) DONE(cudaMalloc(&part, total / 9));
        EXPECT(cudaMalloc(&p, total / 2) == cudaErrorMemoryAllocation);
        for (void *part : parts) DONE(cudaFree(part));
        DONE(cudaMalloc(&p, total / 2));
        DONE(cudaFree(p));
    }
    cudaGetLastError();
#else
    (void)parts;
#endif
    DONE(cudaMemGetInfo(&after, &total));
    EXPECT(after == before);
    DONE(cudaFree(NULL));
    DONE(cudaMalloc(&p, 1000));
    EXPECT((size_t)p % 256 == 0);
    DONE(cudaFree(p));
}

void test_device()
{
    int n = 0, version = 0;
    cudaDeviceProp prop;
    DONE(cudaGetDeviceCount(&n));
    EXPECT(n >= 1);
    DONE(cudaGetDeviceProperties(&prop, 0));
    EXPECT(prop.warpSize == 32 && prop.maxThreadsPerBlock == 1024 && prop.major >= 8 && *prop.name);
    EXPECT(prop.sharedMemPerBlock == 48 << 10);
    DONE(cudaDriverGetVersion(&version));
    EXPECT(version >= 12040);
    EXPECT(cudaSetDevice(1000) == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
}

} // namespace

void right_memory()
{
    test_copies();
    test_allocations();
    test_device();
}
