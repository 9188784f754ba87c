/* SPDX-License-Identifier: MIT */
/* Starts kernels, in a form that both nvcc and a C++ compiler can read. For .cu files. */
#ifndef AG_CUDA_LAUNCH_H
#define AG_CUDA_LAUNCH_H

#include <cuda_runtime.h>

/* core/cuda/device.cu has the stream of all launches and the name of the last kernel, so that an
   error sentence can say after which kernel the error appeared. */
extern "C" void *ag__cuda_stream(void);
extern "C" void ag__cuda_started(const char *kernel, int error);

/* Lets a kernel use this much dynamic shared memory. Up to 48 KiB need no call. */
extern "C" void ag__cuda_share(const void *kernel, size_t bytes);

#ifdef AG_CUDA_ON_HOST
# define AG__NAME(name) cuda_on_host::name_next(# name)
#else
# define AG__NAME(name) (void)0
#endif

/* Starts name_grid(...) on `blocks` blocks of `threads` threads each (numbers or dim3), with
   `bytes` of dynamic shared memory for each block. */
#define AG__START_SHARED(name, blocks, threads, bytes, ...)                             \
 do {                                                                                   \
  cudaLaunchConfig_t config_ = {};                                                      \
  config_.gridDim = dim3(blocks);                                                       \
  config_.blockDim = dim3(threads);                                                     \
  config_.dynamicSmemBytes = (bytes);                                                   \
  config_.stream = (cudaStream_t)ag__cuda_stream();                                     \
  AG__NAME(name);                                                                       \
  ag__cuda_started(#name, (int)cudaLaunchKernelEx(&config_, name##_grid, __VA_ARGS__)); \
 } while (0)

#define AG__START(name, blocks, threads, ...) \
 AG__START_SHARED(name, blocks, threads, 0, __VA_ARGS__)

/* In a kernel: `name` points to the dynamic shared memory of its block. */
#ifdef AG_CUDA_ON_HOST
# define AG__SHARED(type, name) type *const name = (type *)cuda_on_host::dynamic_shared()
#else
# define AG__SHARED(type, name)                      \
  extern __shared__ __align__(16) char ag__shared[]; \
  type *const name = (type *)(void *)ag__shared
#endif

/* The number of blocks of `threads` threads that n units need. */
static inline unsigned ag__blocks(int64_t n, int threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

#endif
