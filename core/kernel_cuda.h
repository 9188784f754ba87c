/* SPDX-License-Identifier: MIT */
/* The CUDA form of core/kernel.h: a row has a warp or a part of one, a strip has one column per
   lane. A block is `lanes` threads wide and `units` high. Each macro reads the number of lanes of a
   row from this shape, so a body and the functions that it calls cannot disagree about it. Where
   the number is known in advance, AG__SHAPE tells the compiler, and LANES becomes a constant. */
#ifndef AG_CORE_KERNEL_CUDA_H
#define AG_CORE_KERNEL_CUDA_H

#include "core/cuda/launch.h"

#define KERNEL      static __device__ __forceinline__
#define KERNEL_ONCE KERNEL
#define LANE        ag__lane()
#define LANES       ag__lanes()
#define MOST_LANES  32

/* These are functions, since nvcc refuses threadIdx and blockDim in code for the host. */
KERNEL int ag__lane(void) { return (int)threadIdx.x; }
KERNEL int ag__lanes(void) { return (int)blockDim.x; }

#define EACH(i, n) for (int i = LANE; i < (n); i += LANES)

/* The mask of this row's lanes within the warp. */
KERNEL unsigned ag__row_mask(void)
{
    return ~0u >> (32 - blockDim.x) << (threadIdx.y * blockDim.x % 32);
}

#define SETTLE           __syncwarp(ag__row_mask())

#define OF_LANE(lane, v) __shfl_sync(ag__row_mask(), v, lane, LANES)

KERNEL ag_real ag__row_sum(ag_real v)
{
    for (int o = LANES / 2; o; o >>= 1) v += __shfl_xor_sync(ag__row_mask(), v, o);
    return v;
}
KERNEL ag_real ag__row_max(ag_real v)
{
    for (int o = LANES / 2; o; o >>= 1) {
        const ag_real w = __shfl_xor_sync(ag__row_mask(), v, o);
        v = w > v ? w : v;
    }
    return v;
}

#define SUM(s, i, n, value)     \
 do {                           \
  ag_real part_ = 0;            \
  EACH (i, n) part_ += (value); \
  (s) = ag__row_sum(part_);     \
 } while (0)

#define MAXIMUM(m, least, i, n, value) \
 do {                                  \
  ag_real part_ = (least);             \
  EACH (i, n) {                        \
   const ag_real v_ = (value);         \
   part_ = v_ > part_ ? v_ : part_;    \
  }                                    \
  (m) = ag__row_max(part_);            \
 } while (0)

#define AG_PER_LANE      1
#define AT(j)            0

#define IN_ROOM(name, k) ag_real name[AG_PER_LANE]

KERNEL void write_row(ag_real *to, const ag_real *from, int n, ag_shape)
{
    EACH (j, n) to[j] = from[AT(j)];
}

enum { AG_WARPS = 8, AG_BLOCK = 32 * AG_WARPS }; /* warps and threads in a block */

/* The unit of this thread. */
#define AG__UNIT ((int64_t)blockIdx.x * blockDim.y + threadIdx.y)

#ifdef AG_CUDA_ON_HOST
# define AG__SHAPE(lanes, units) (void)0
#else
# define AG__SHAPE(lanes, units)                                                    \
  __builtin_assume(blockDim.x == (lanes)), __builtin_assume(threadIdx.x < (lanes)), \
      __builtin_assume(blockDim.y == (units))
#endif

/* The kernel of a body: it runs `run` in the `lanes` threads of unit u; a block has `wide` units.
   The host counts the units once. */
#define AG__KERNEL(name, units, lanes, wide, signature, run)                                     \
 KERNEL void name signature;                                                                     \
 static __global__ void name##_grid(const __grid_constant__ ag_args args, const int64_t n_units) \
 {                                                                                               \
  const ag_args *const a = &args;                                                                \
  AG__SHAPE(lanes, wide);                                                                        \
  const int64_t u = AG__UNIT;                                                                    \
  if (u < n_units) run;                                                                          \
 }                                                                                               \
 extern "C" void ag__cuda_##name(const ag_args *a)                                               \
 {                                                                                               \
  const int64_t n = (int64_t)(units);                                                            \
  if (n > 0) AG__START(name, ag__blocks(n, wide), dim3(lanes, wide), *a, n);                     \
 }                                                                                               \
 KERNEL void name signature

#define ROW(name, rows) \
 AG__KERNEL(name, rows, 32, AG_WARPS, (const ag_args *a, int64_t r), name(a, u))
#define ROW_PUT(name, rows)                                                         \
 AG__KERNEL(name, rows, 32, AG_WARPS, (const ag_args *a, int64_t r, const int add), \
            AG__WITH_ADD(name(a, u, add)))

/* A thread has one element, since elements may differ in cost and may be few. */
#define ELEMENTS(name, n) \
 AG__KERNEL(name, n, 1, AG_BLOCK, (const ag_args *a, int64_t lo, int64_t hi), name(a, u, u + 1))
#define ELEMENTS_PUT(name, n)                                                                \
 AG__KERNEL(name, n, 1, AG_BLOCK, (const ag_args *a, int64_t lo, int64_t hi, const int add), \
            AG__WITH_ADD(name(a, u, u + 1, add)))

/* The shape of a block for rows of this many columns. A row has as many lanes as columns, rounded
   up to a power of two, at most a warp. Few rows make smaller blocks, so that all multiprocessors
   have some. */
static inline dim3 ag__rows_block(int64_t rows, int64_t columns)
{
    int lanes = 1, threads = AG_BLOCK;
    while (lanes < 32 && lanes < columns) lanes *= 2;
    if (lanes < 32 && rows * lanes < 256 * AG_BLOCK) threads /= 4;
    return dim3((unsigned)lanes, (unsigned)(threads / lanes));
}

/* nvcc makes two copies of a body: one for 32 lanes, as in ROW, and one for fewer. */
#ifdef AG_CUDA_ON_HOST
# define AG__BY_LANES(run) run
#else
# define AG__BY_LANES(run)   \
  do {                       \
   if (LANES == 32) {        \
    AG__SHAPE(32, AG_WARPS); \
    run;                     \
   } else {                  \
    run;                     \
   }                         \
  } while (0)
#endif

#define AG__ROW_OF(name, rows, columns, signature, run)                                          \
 KERNEL void name signature;                                                                     \
 static __global__ void name##_grid(const __grid_constant__ ag_args args, const int64_t n_units) \
 {                                                                                               \
  const ag_args *const a = &args;                                                                \
  const int64_t u = AG__UNIT;                                                                    \
  if (u < n_units) AG__BY_LANES(run);                                                            \
 }                                                                                               \
 extern "C" void ag__cuda_##name(const ag_args *a)                                               \
 {                                                                                               \
  const int64_t n = (int64_t)(rows);                                                             \
  if (n <= 0) return;                                                                            \
  const dim3 block = ag__rows_block(n, (int64_t)(columns));                                      \
  AG__START(name, ag__blocks(n, (int)block.y), block, *a, n);                                    \
 }                                                                                               \
 KERNEL void name signature
#define ROW_OF(name, rows, columns) \
 AG__ROW_OF(name, rows, columns, (const ag_args *a, int64_t r), name(a, u))
#define ROW_OF_PUT(name, rows, columns)                                        \
 AG__ROW_OF(name, rows, columns, (const ag_args *a, int64_t r, const int add), \
            AG__WITH_ADD(name(a, u, add)))

#include "core/kernel_elementwise.h"

/* A unit is a strip of 32 columns. The number of strips depends on the columns, which are therefore
   an argument of the kernel. */
#define AG__STRIP(name, outer, columns, signature, run)                                          \
 KERNEL void name signature;                                                                     \
 static __global__ void name##_grid(const __grid_constant__ ag_args args, const int64_t n_units, \
                                    const int width)                                             \
 {                                                                                               \
  const ag_args *const a = &args;                                                                \
  AG__SHAPE(32, AG_WARPS);                                                                       \
  const int64_t strips = ((int64_t)width + 31) / 32, u = AG__UNIT, o = u / strips;               \
  const int c = (int)(u % strips) * 32, left = width - c, n = left < 32 ? left : 32;             \
  if (u < n_units) run;                                                                          \
 }                                                                                               \
 extern "C" void ag__cuda_##name(const ag_args *a)                                               \
 {                                                                                               \
  const int width = (int)(columns);                                                              \
  const int64_t n = (int64_t)(outer) * (((int64_t)width + 31) / 32);                             \
  if (n > 0) AG__START(name, ag__blocks(n, AG_WARPS), dim3(32, AG_WARPS), *a, n, width);         \
 }                                                                                               \
 KERNEL void name signature

#endif
