/* SPDX-License-Identifier: MIT */
/* Starting a kernel, in a form that nvcc and a C++ compiler read alike. For .cu files. */
#ifndef AG_CUDA_LAUNCH_H
#define AG_CUDA_LAUNCH_H

#include <cuda_runtime.h>

/* core/device.cu: the stream that every launch takes, and what is remembered of a launch, so that
   an error sentence can name the kernel that it showed after. */
extern "C" void *ag__cuda_stream(void);
extern "C" void ag__cuda_started(const char *kernel, int error);

/* Lets a kernel have this much dynamic shared memory, of which 48 KiB need no word. */
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

/* Blocks of `threads` threads that n units want. */
static inline unsigned ag__blocks(int64_t n, int threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

#endif
