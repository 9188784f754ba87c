/* SPDX-License-Identifier: MIT */
/* Declarations of the self-test. right.cu holds for a GPU, too, and nvcc compiles it against the
   toolkit's own headers. */
#ifndef SELFTEST_HPP
#define SELFTEST_HPP

#include <cuda_runtime.h>

#include <stdio.h>
#include <utility>
#include <vector>

#ifdef AG_CUDA_ON_HOST
# define SELFTEST_NAME cuda_on_host::name_next("the kernel")
#else
# define SELFTEST_NAME (void)0
#endif

/* Tests count what is wrong. */
inline int failures;
#define EXPECT(condition)                                               \
 do {                                                                   \
  if (!(condition)) {                                                   \
   printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
   failures++;                                                          \
  }                                                                     \
 } while (0)
#define DONE(call) EXPECT((call) == cudaSuccess)

inline cudaStream_t one, two;

template <class... Wanted, class... Given>
cudaError_t start_shared(cudaStream_t stream, dim3 blocks, dim3 threads, size_t shared,
                         void (*kernel)(Wanted...), Given... given)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    SELFTEST_NAME;
    return cudaLaunchKernelEx(&config, kernel, (Wanted)given...);
}
template <class... Wanted, class... Given>
cudaError_t start(cudaStream_t stream, dim3 blocks, dim3 threads, void (*kernel)(Wanted...),
                  Given... given)
{
    return start_shared(stream, blocks, threads, 0, kernel, given...);
}

/* n zeros on the device. */
template <class T> T *zeros(size_t n)
{
    T *p = NULL;
    DONE(cudaMalloc(&p, n * sizeof(T)));
    DONE(cudaMemsetAsync(p, 0, n * sizeof(T), one));
    DONE(cudaStreamSynchronize(one));
    return p;
}
template <class T> T *uploaded(const std::vector<T> &from)
{
    T *p = zeros<T>(from.size());
    DONE(cudaMemcpyAsync(p, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, one));
    DONE(cudaStreamSynchronize(one));
    return p;
}
/* Waits for `stream`. */
template <class T> std::vector<T> fetched(const T *p, size_t n, cudaStream_t stream = one)
{
    std::vector<T> to(n);
    DONE(cudaMemcpyAsync(to.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost, stream));
    DONE(cudaStreamSynchronize(stream));
    return to;
}

inline void open_streams()
{
    DONE(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    DONE(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
}

#endif
