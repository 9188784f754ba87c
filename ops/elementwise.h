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

/* The tensors that a formula reads; the others are NULL. These flags are constants, so compilers
   drop the other reads. */
enum {
    READS_0 = 0,
    READS_X = AG_READS_X,
    READS_Z = AG_READS_Z,
    READS_Y = AG_READS_Y,
    READS_XY = READS_X | READS_Y,
    READS_XZ = READS_X | READS_Z,
    READS_ZY = READS_Z | READS_Y
};

#define FORWARD(name, value, reads)                                   \
 ELEMENTWISE(name, reads)                                             \
 {                                                                    \
  const ag_real *__restrict__ xs = X(0), *__restrict__ zs = X(1);     \
  ag_real *__restrict__ to = Y(0);                                    \
  const ag_real p = (ag_real)a->attr.f[0], q = (ag_real)a->attr.f[1]; \
  (void)p, (void)q, (void)add;                                        \
  for (int64_t i = lo; i < hi; i++) {                                 \
   const ag_real x = xs[i], z = (reads)&READS_Z ? zs[i] : 0;          \
   (void)z;                                                           \
   to[i] = value;                                                     \
  }                                                                   \
 }

#define BACKWARD(name, slope, reads)                                                       \
 ELEMENTWISE(name, (reads) | AG_READS_DY)                                                  \
 {                                                                                         \
  const ag_real *__restrict__ xs = X(0), *__restrict__ zs = X(1), *__restrict__ ys = Y(0); \
  const ag_real *__restrict__ dy = DY(0);                                                  \
  ag_real *__restrict__ dx = DX;                                                           \
  const ag_real p = (ag_real)a->attr.f[0], q = (ag_real)a->attr.f[1];                      \
  (void)p, (void)q;                                                                        \
  for (int64_t i = lo; i < hi; i++) {                                                      \
   const ag_real x = (reads)&READS_X ? xs[i] : 0, z = (reads)&READS_Z ? zs[i] : 0;         \
   const ag_real y = (reads)&READS_Y ? ys[i] : 0;                                          \
   (void)x, (void)y, (void)z;                                                              \
   PUT(dx, i, dy[i] * (slope));                                                            \
  }                                                                                        \
 }

#define MAP(name, value, slope, reads, ...) \
 FORWARD(name##_forward, value, READS_X)    \
 BACKWARD(name##_backward, slope, READS_##reads)
#define MAP1 MAP
#define MAP2 MAP
#define ZIP(name, value, slope_x, slope_z, reads, ...) \
 FORWARD(name##_forward, value, READS_XZ)              \
 BACKWARD(name##_backward_x, slope_x, READS_##reads)   \
 BACKWARD(name##_backward_z, slope_z, READS_##reads)
#include "ops/elementwise.def"
