/* SPDX-License-Identifier: MIT */
/* The kernels of elementwise.def: for each row a loop that computes y and loops that compute dx
 * (and dz). */
#include "ops/gelu.h"

#define K(c) ((ag_real)(c))

/* Slopes that need more than a line. */
KERNEL ag_real v__silu_slope(ag_real x)
{
    const ag_real s = v_sigmoid(x);
    return s * (1 + x * (1 - s));
}
KERNEL ag_real v__gelu_inner(ag_real x)
{
    return K(0.79788456080286536) * (x + K(0.044715) * x * x * x);
}
KERNEL ag_real v__gelu_tanh_slope(ag_real x)
{
    const ag_real t = v_tanh(v__gelu_inner(x));
    return K(0.5) * (1 + t) +
           K(0.5) * x * (1 - t * t) * K(0.79788456080286536) * (1 + 3 * K(0.044715) * x * x);
}

/* The saved tensors that a derivative reads; the others are NULL. These flags are constants, so
   compilers drop the other reads. */
enum {
    READS_0 = 0,
    READS_X = AG_READS_X,
    READS_Z = AG_READS_Z,
    READS_Y = AG_READS_Y,
    READS_XY = READS_X | READS_Y,
    READS_XZ = READS_X | READS_Z,
    READS_ZY = READS_Z | READS_Y
};

#define MAP_KERNELS(name, value, slope, reads)                                              \
 ELEMENTWISE(name##_forward, AG_READS_X)                                                    \
 {                                                                                          \
  const ag_real *__restrict__ from = X(0);                                                  \
  ag_real *__restrict__ to = Y(0);                                                          \
  const ag_real p = (ag_real)a->attr.f[0], q = (ag_real)a->attr.f[1];                       \
  (void)p, (void)q, (void)add;                                                              \
  for (int64_t i = lo; i < hi; i++) {                                                       \
   const ag_real x = from[i];                                                               \
   to[i] = value;                                                                           \
  }                                                                                         \
 }                                                                                          \
 ELEMENTWISE(name##_backward, READS_##reads | AG_READS_DY)                                  \
 {                                                                                          \
  const ag_real *__restrict__ xs = X(0), *__restrict__ ys = Y(0), *__restrict__ dy = DY(0); \
  ag_real *__restrict__ dx = DX;                                                            \
  const ag_real p = (ag_real)a->attr.f[0], q = (ag_real)a->attr.f[1];                       \
  (void)p, (void)q;                                                                         \
  for (int64_t i = lo; i < hi; i++) {                                                       \
   const ag_real x = READS_##reads & READS_X ? xs[i] : 0;                                   \
   const ag_real y = READS_##reads & READS_Y ? ys[i] : 0;                                   \
   (void)x, (void)y;                                                                        \
   PUT(dx, i, dy[i] * (slope));                                                             \
  }                                                                                         \
 }

#define ZIP_BACKWARD(name, slope, reads)                                                   \
 ELEMENTWISE(name, READS_##reads | AG_READS_DY)                                            \
 {                                                                                         \
  const ag_real *__restrict__ xs = X(0), *__restrict__ zs = X(1), *__restrict__ ys = Y(0); \
  const ag_real *__restrict__ dy = DY(0);                                                  \
  ag_real *__restrict__ dx = DX;                                                           \
  for (int64_t i = lo; i < hi; i++) {                                                      \
   const ag_real x = READS_##reads & READS_X ? xs[i] : 0;                                  \
   const ag_real z = READS_##reads & READS_Z ? zs[i] : 0;                                  \
   const ag_real y = READS_##reads & READS_Y ? ys[i] : 0;                                  \
   (void)x, (void)y, (void)z;                                                              \
   PUT(dx, i, dy[i] * (slope));                                                            \
  }                                                                                        \
 }

#define ZIP_KERNELS(name, value, slope_x, slope_z, reads)         \
 ELEMENTWISE(name##_forward, READS_XZ)                            \
 {                                                                \
  const ag_real *__restrict__ xs = X(0), *__restrict__ zs = X(1); \
  ag_real *__restrict__ to = Y(0);                                \
  (void)add;                                                      \
  for (int64_t i = lo; i < hi; i++) {                             \
   const ag_real x = xs[i], z = zs[i];                            \
   to[i] = value;                                                 \
  }                                                               \
 }                                                                \
 ZIP_BACKWARD(name##_backward_x, slope_x, reads)                  \
 ZIP_BACKWARD(name##_backward_z, slope_z, reads)

#define MAP(name, value, slope, reads, lo, hi, kink, about) MAP_KERNELS(name, value, slope, reads)
#define MAP1(name, value, slope, reads, lo, hi, p, kink, about) \
 MAP_KERNELS(name, value, slope, reads)
#define MAP2(name, value, slope, reads, lo, hi, p, q, kink, about) \
 MAP_KERNELS(name, value, slope, reads)
#define ZIP(name, value, slope_x, slope_z, reads, lo, hi, about) \
 ZIP_KERNELS(name, value, slope_x, slope_z, reads)
#include "ops/elementwise.def"
