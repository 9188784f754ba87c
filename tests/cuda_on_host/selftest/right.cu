/* SPDX-License-Identifier: MIT */
/* What the host execution refuses as a GPU does, and memory that is used again. Right results are
   those of the library's tests, which run on it. */
#include "selftest.hpp"

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
        void *parts[8];
        for (void *&part : parts) DONE(cudaMalloc(&part, total / 9));
        EXPECT(cudaMalloc(&p, total / 2) == cudaErrorMemoryAllocation);
        for (void *part : parts) DONE(cudaFree(part));
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
    cudaEvent_t event;
    void *p;
    float *x = zeros<float>(32);
    DONE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    EXPECT(captured([] {
               EXPECT(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported);
           }) == cudaErrorStreamCaptureInvalidated);
    EXPECT(captured([&] { EXPECT(cudaMalloc(&p, 100) == cudaErrorStreamCaptureUnsupported); }) ==
           cudaErrorStreamCaptureInvalidated);
    DONE(cudaEventRecord(event, two)); /* not in the capture */
    EXPECT(captured([&] {
               EXPECT(cudaStreamWaitEvent(one, event, 0) == cudaErrorStreamCaptureIsolation);
           }) == cudaErrorStreamCaptureInvalidated);
    EXPECT(captured([&] {
               DONE(cudaEventRecord(event, one));
               DONE(cudaStreamWaitEvent(two, event, 0));
               DONE(start(two, 1, 32, fill, x, 9.0f)); /* there is no wait for it */
           }) == cudaErrorStreamCaptureUnjoined);
    EXPECT(cudaEventSynchronize(event) == cudaErrorCapturedEvent);
    EXPECT(cudaGetLastError() != cudaSuccess);
    DONE(start(two, 1, 32, fill, x, 4.0f));
    EXPECT(fetched(x, 1, two)[0] == 4);
    DONE(cudaEventDestroy(event));
    DONE(cudaFree(x));
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
    test_spoilt_captures();
    printf("%d failed\n", failures);
    return failures != 0;
}
