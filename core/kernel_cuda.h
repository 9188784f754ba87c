/* SPDX-License-Identifier: MIT */
/* The CUDA reading of core/kernel.h: a row has a warp, a strip has one column per lane. */
#ifndef AG_CORE_KERNEL_CUDA_H
#define AG_CORE_KERNEL_CUDA_H

#include "core/launch.h"

#define KERNEL           static __device__ __forceinline__
#define LANE             ((int)(threadIdx.x & 31))
#define LANES            32

#define SETTLE           __syncwarp()

#define OF_LANE(lane, v) __shfl_sync(~0u, v, lane)

#define EACH(i, n)       for (int i = LANE; i < (n); i += LANES)

KERNEL ag_real ag__warp_sum(ag_real v)
{
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
KERNEL ag_real ag__warp_max(ag_real v)
{
    for (int o = 16; o; o >>= 1) {
        const ag_real w = __shfl_xor_sync(~0u, v, o);
        v = w > v ? w : v;
    }
    return v;
}

#define SUM(s, i, n, value)     \
 do {                           \
  ag_real part_ = 0;            \
  EACH (i, n) part_ += (value); \
  (s) = ag__warp_sum(part_);    \
 } while (0)

#define MAXIMUM(m, least, i, n, value) \
 do {                                  \
  ag_real part_ = (least);             \
  EACH (i, n) {                        \
   const ag_real v_ = (value);         \
   part_ = v_ > part_ ? v_ : part_;    \
  }                                    \
  (m) = ag__warp_max(part_);           \
 } while (0)

#define AG_PER_LANE 1
#define AT(j)       0

KERNEL void write_row(ag_real *to, const ag_real *from, int n, ag_shape)
{
    EACH (j, n) to[j] = from[AT(j)];
}

enum { AG_WARPS = 8, AG_BLOCK = 32 * AG_WARPS }; /* warps and threads in a block */

#define AG__WARP ((int64_t)blockIdx.x * AG_WARPS + threadIdx.x / 32)

/* `add` is a constant within a body. */
#define AG__WITH_ADD(run) \
 do {                     \
  if (a->add) {           \
   const int add = 1;     \
   run;                   \
  } else {                \
   const int add = 0;     \
   run;                   \
  }                       \
 } while (0)

/* The kernel of a body: it runs `run` in the threads of unit u, which have `unit` threads each. The
   number of units is counted once, by the host. */
#define AG__KERNEL(name, units, u_is, threads, signature, run)                                   \
 KERNEL void name signature;                                                                     \
 static __global__ void name##_grid(const __grid_constant__ ag_args args, const int64_t n_units) \
 {                                                                                               \
  const ag_args *const a = &args;                                                                \
  const int64_t u = u_is;                                                                        \
  if (u < n_units) AG__WITH_ADD(run);                                                            \
 }                                                                                               \
 extern "C" void ag__cuda_##name(const ag_args *a)                                               \
 {                                                                                               \
  const int64_t n = (int64_t)(units);                                                            \
  if (n > 0) AG__START(name, ag__blocks(n *(threads), AG_BLOCK), AG_BLOCK, *a, n);               \
 }                                                                                               \
 KERNEL void name signature

#define ROW(name, rows) \
 AG__KERNEL(name, rows, AG__WARP, 32, (const ag_args *a, int64_t r, const int add), name(a, u, add))

#define ELEMENTS(name, n)                                            \
 AG__KERNEL(name, n, (int64_t)blockIdx.x *AG_BLOCK + threadIdx.x, 1, \
            (const ag_args *a, int64_t lo, int64_t hi, const int add), name(a, u, u + 1, add))

/* A unit is a strip of 32 columns; how many there are depends on the columns, which travel, too. */
#define STRIP(name, outer, columns)                                                              \
 KERNEL void name(const ag_args *a, int64_t o, int c, int n, const int add);                     \
 static __global__ void name##_grid(const __grid_constant__ ag_args args, const int64_t n_units, \
                                    const int width)                                             \
 {                                                                                               \
  const ag_args *const a = &args;                                                                \
  const int64_t strips = ((int64_t)width + 31) / 32, u = AG__WARP;                               \
  const int c = (int)(u % strips) * 32, left = width - c, n = left < 32 ? left : 32;             \
  if (u < n_units) AG__WITH_ADD(name(a, u / strips, c, n, add));                                 \
 }                                                                                               \
 extern "C" void ag__cuda_##name(const ag_args *a)                                               \
 {                                                                                               \
  const int width = (int)(columns);                                                              \
  const int64_t n = (int64_t)(outer) * (((int64_t)width + 31) / 32);                             \
  if (n > 0) AG__START(name, ag__blocks(n * 32, AG_BLOCK), AG_BLOCK, *a, n, width);              \
 }                                                                                               \
 KERNEL void name(const ag_args *a, int64_t o, int c, int n, const int add)

#endif
