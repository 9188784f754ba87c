/* SPDX-License-Identifier: MIT */
/* TILE(name, outer, columns, elements) { body }: a kernel only for CUDA. A block keeps columns
   c..c+n-1, n <= 32, of one o of 0..outer-1 in `tile`, memory of `elements` elements that its 8
   warps share. Each warp reads and writes some of the rows, and a value that is needed twice is
   read once. The host runs the TILE of an op if ag__tile_fits, else its STRIP.

   A body loops over the rows of its warp with TILE_ROWS, and over columns with EACH and AT, as in a
   STRIP. All threads of the block must reach each TILE_SETTLE, TILE_SUM and TILE_MAXIMUM. After
   TILE_SETTLE a warp may read what others wrote; the other two combine the values of the warps in
   order. */
#ifndef AG_CORE_KERNEL_TILE_H
#define AG_CORE_KERNEL_TILE_H

#include "core/kernel.h"

/* Columns; warps; bytes of shared memory that each device from compute capability 8.0 on has. */
enum { AG_TILE_WIDTH = 32, AG_TILE_WARPS = 8, AG_TILE_BYTES = 96 << 10 };
enum { AG__TILE_JOIN = AG_TILE_WIDTH * AG_TILE_WARPS }; /* elements that TILE_SUM needs */

AG_BOTH int ag__tile_fits(int64_t elements)
{
    return (AG__TILE_JOIN + elements) * (int64_t)sizeof(ag_real) <= AG_TILE_BYTES;
}

/* Element of a tile of rows, each as wide as the strip. */
#define HELD(r, j) tile[(r)*AG_TILE_WIDTH + (j)]

#ifdef __CUDACC__

# define TILE_WARP       ((int)threadIdx.y)
# define TILE_ROWS(k, n) for (int k = TILE_WARP; k < (n); k += AG_TILE_WARPS)
# define TILE_SETTLE     __syncthreads()

/* Shares `mine` between the warps; returns the values of this lane in all warps. */
KERNEL const ag_real *ag__tile_share(ag_real mine)
{
    AG__SHARED(ag_real, all);
    __syncthreads(); /* the last sum has been read */
    all[TILE_WARP * AG_TILE_WIDTH + LANE] = mine;
    __syncthreads();
    return all + LANE;
}
KERNEL ag_real ag__tile_sum(ag_real mine)
{
    const ag_real *const all = ag__tile_share(mine);
    ag_real sum = all[0];
    for (int w = 1; w < AG_TILE_WARPS; w++) sum += all[w * AG_TILE_WIDTH];
    return sum;
}
KERNEL ag_real ag__tile_maximum(ag_real mine)
{
    const ag_real *const all = ag__tile_share(mine);
    ag_real most = all[0];
    for (int w = 1; w < AG_TILE_WARPS; w++) {
        const ag_real v = all[w * AG_TILE_WIDTH];
        most = v > most ? v : most;
    }
    return most;
}
# define TILE_SUM(s)     (s)[0] = ag__tile_sum((s)[0])
# define TILE_MAXIMUM(m) (m)[0] = ag__tile_maximum((m)[0])

# define AG__TILE(name, outer, columns, elements, signature, run)                                  \
  KERNEL void name signature;                                                                      \
  static __global__ void name##_grid(const __grid_constant__ ag_args args, const int width)        \
  {                                                                                                \
   AG__SHARED(ag_real, all);                                                                       \
   const ag_args *const a = &args;                                                                 \
   AG__SHAPE(AG_TILE_WIDTH, AG_TILE_WARPS);                                                        \
   const int strips = (width + AG_TILE_WIDTH - 1) / AG_TILE_WIDTH;                                 \
   const int64_t o = blockIdx.x / (unsigned)strips;                                                \
   const int c = (int)(blockIdx.x % (unsigned)strips) * AG_TILE_WIDTH, left = width - c;           \
   const int n = left < AG_TILE_WIDTH ? left : AG_TILE_WIDTH;                                      \
   ag_real *const tile = all + AG__TILE_JOIN;                                                      \
   run;                                                                                            \
  }                                                                                                \
  extern "C" void ag__cuda_##name(const ag_args *a)                                                \
  {                                                                                                \
   const int width = (int)(columns);                                                               \
   const int64_t blocks =                                                                          \
       (int64_t)(outer) * (((int64_t)width + AG_TILE_WIDTH - 1) / AG_TILE_WIDTH);                  \
   const size_t bytes = (size_t)(AG__TILE_JOIN + (elements)) * sizeof(ag_real);                    \
   if (blocks == 0) return;                                                                        \
   ag__cuda_share((const void *)name##_grid, bytes);                                               \
   AG__START_SHARED(name, (unsigned)blocks, dim3(AG_TILE_WIDTH, AG_TILE_WARPS), bytes, *a, width); \
  }                                                                                                \
  KERNEL void name signature

#else /* the C compiler reads a body, but nothing calls it */

# define TILE_WARP       0
# define TILE_ROWS(k, n) for (int k = 0; k < (n); k++)
# define TILE_SETTLE     ((void)0)
# define TILE_SUM(s)     ((void)(s))
# define TILE_MAXIMUM(m) ((void)(m))

# define AG__TILE(id, outer, columns, elements, signature, run)                     \
  AG__CUDA_DECLARE(id)                                                              \
  static const ag_kernel id##_kernel = {.name = #id, .cuda = AG__CUDA_POINTER(id)}; \
  KERNEL void id signature

#endif

#define TILE(id, outer, columns, elements) \
 AG__TILE(id, outer, columns, elements,    \
          (const ag_args *a, int64_t o, int c, int n, ag_real *tile), id(a, o, c, n, tile))
#define TILE_PUT(id, outer, columns, elements)                                       \
 AG__TILE(id, outer, columns, elements,                                              \
          (const ag_args *a, int64_t o, int c, int n, ag_real *tile, const int add), \
          AG__WITH_ADD(id(a, o, c, n, tile, add)))

#endif
