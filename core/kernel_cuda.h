/* SPDX-License-Identifier: MIT */
/* The CUDA reading of core/kernel.h: a row has a warp, a strip has one column per lane. */
#ifndef AG_CORE_KERNEL_CUDA_H
#define AG_CORE_KERNEL_CUDA_H

#define KERNEL     static __device__ __forceinline__
#define LANE       ((int)(threadIdx.x & 31))
#define LANES      32

#define EACH(i, n) for (int i = LANE; i < (n); i += LANES)

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

enum { AG_WARPS = 8 }; /* warps in a block */

/* The stream that every launch takes (core/device.cu). */
extern "C" void *ag__cuda_stream(void);

#define AG__LAUNCH(name, warps, a)                                                 \
 do {                                                                              \
  const int64_t warps_ = (warps);                                                  \
  if (warps_ > 0)                                                                  \
   name##_grid<<<(unsigned)((warps_ + AG_WARPS - 1) / AG_WARPS), 32 * AG_WARPS, 0, \
                 (cudaStream_t)ag__cuda_stream()>>>(*(a));                         \
 } while (0)

#define AG__WARP ((int64_t)blockIdx.x * AG_WARPS + threadIdx.x / 32)

#define ROW(name, rows)                                                           \
 KERNEL void name(const ag_args *a, int64_t r, const int add);                    \
 static __global__ void name##_grid(const ag_args args)                           \
 {                                                                                \
  const ag_args *a = &args;                                                       \
  const int64_t r = AG__WARP;                                                     \
  if (r >= (int64_t)(rows)) return;                                               \
  if (a->add)                                                                     \
   name(a, r, 1);                                                                 \
  else                                                                            \
   name(a, r, 0);                                                                 \
 }                                                                                \
 extern "C" void ag__cuda_##name(const ag_args *a) { AG__LAUNCH(name, rows, a); } \
 KERNEL void name(const ag_args *a, int64_t r, const int add)

#define ELEMENTS(name, n)                                                   \
 KERNEL void name(const ag_args *a, int64_t lo, int64_t hi, const int add); \
 static __global__ void name##_grid(const ag_args args)                     \
 {                                                                          \
  const ag_args *a = &args;                                                 \
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;         \
  if (i >= (int64_t)(n)) return;                                            \
  if (a->add)                                                               \
   name(a, i, i + 1, 1);                                                    \
  else                                                                      \
   name(a, i, i + 1, 0);                                                    \
 }                                                                          \
 extern "C" void ag__cuda_##name(const ag_args *a)                          \
 {                                                                          \
  AG__LAUNCH(name, ((int64_t)(n) + 31) / 32, a);                            \
 }                                                                          \
 KERNEL void name(const ag_args *a, int64_t lo, int64_t hi, const int add)

#define STRIP(name, outer, columns)                                                         \
 KERNEL void name(const ag_args *a, int64_t o, int c, int n, const int add);                \
 static __global__ void name##_grid(const ag_args args)                                     \
 {                                                                                          \
  const ag_args *a = &args;                                                                 \
  const int64_t strips = ((int64_t)(columns) + 31) / 32, u = AG__WARP;                      \
  if (u >= (int64_t)(outer)*strips) return;                                                 \
  const int c = (int)(u % strips) * 32, left = (int)(columns)-c, n = left < 32 ? left : 32; \
  if (a->add)                                                                               \
   name(a, u / strips, c, n, 1);                                                            \
  else                                                                                      \
   name(a, u / strips, c, n, 0);                                                            \
 }                                                                                          \
 extern "C" void ag__cuda_##name(const ag_args *a)                                          \
 {                                                                                          \
  AG__LAUNCH(name, (int64_t)(outer) * (((int64_t)(columns) + 31) / 32), a);                 \
 }                                                                                          \
 KERNEL void name(const ag_args *a, int64_t o, int c, int n, const int add)

#endif
