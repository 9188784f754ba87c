/* SPDX-License-Identifier: MIT */
/* Losses that compare element by element: the mean of a function of y and t. Rows of LOSS_ROW terms
   are summed into scratch, then the scratch is summed in order. */
#include "core/kernel.h"

#define K(c) ((ag_real)(c))

enum { LOSS_ROW = 1024 };

AG_BOTH int64_t loss_rows(const ag_args *a)
{
    return (ag__elements(a->xs[0]) + LOSS_ROW - 1) / LOSS_ROW;
}

ROW(loss_total, 1)
{
    const int64_t n = ag__elements(a->xs[0]);
    const ag_real *parts = a->scratch;
    ag_real s;
    (void)r;
    SUM(s, i, (int)loss_rows(a), parts[i]);
    if (LANE == 0) Y(0)[0] = n ? s / (ag_real)n : 0;
}

/* value(y, t, p) and its slopes by y and by t; p is the loss's `delta` or the `WEIGHT` of an
   element. */
#define LOSS(name, p, value, slope_y, slope_t)                                     \
 ROW(name##_parts, loss_rows(a))                                                   \
 {                                                                                 \
  const int64_t from = r * LOSS_ROW, left = ag__elements(a->xs[0]) - from;         \
  const ag_real *y = X(0) + from, *t = X(1) + from, delta = (ag_real)a->attr.f[0]; \
  const ag_real *const w = a->n_in > 2 ? X(2) + from : NULL;                       \
  ag_real s;                                                                       \
  (void)delta, (void)w;                                                            \
  SUM(s, i, left < LOSS_ROW ? (int)left : LOSS_ROW, value(y[i], t[i], p));         \
  if (LANE == 0) a->scratch[r] = s;                                                \
 }                                                                                 \
 ELEMENTS_PUT(name##_backward_y, ag__elements(a->xs[0]))                           \
 LOSS_BACKWARD(p, slope_y)                                                         \
 ELEMENTS_PUT(name##_backward_t, ag__elements(a->xs[0]))                           \
 LOSS_BACKWARD(p, slope_t)

#define LOSS_BACKWARD(p, slope)                                          \
 {                                                                       \
  const ag_real *__restrict__ y = X(0), *__restrict__ const t = X(1),    \
                              delta = (ag_real)a->attr.f[0];             \
  const ag_real *__restrict__ const w = a->n_in > 2 ? X(2) : NULL;       \
  const ag_real d = DY(0)[0] / (ag_real)ag__elements(a->xs[0]);          \
  ag_real *__restrict__ dx = DX;                                         \
  (void)delta, (void)t, (void)w;                                         \
  for (int64_t i = lo; i < hi; i++) PUT(dx, i, d *slope(y[i], t[i], p)); \
 }

#define WEIGHT                  (w ? w[i] : 1)

#define SQUARED(y, t, delta)    (((y) - (t)) * ((y) - (t)))
#define SQUARED_DY(y, t, delta) (2 * ((y) - (t)))
#define SQUARED_DT(y, t, delta) (2 * ((t) - (y)))
LOSS(squared_error, delta, SQUARED, SQUARED_DY, SQUARED_DT)

#define SIGN(x)                  ((x) > 0 ? K(1) : (x) < 0 ? K(-1) : K(0))
#define ABSOLUTE(y, t, delta)    v_abs((y) - (t))
#define ABSOLUTE_DY(y, t, delta) SIGN((y) - (t))
#define ABSOLUTE_DT(y, t, delta) SIGN((t) - (y))
LOSS(absolute_error, delta, ABSOLUTE, ABSOLUTE_DY, ABSOLUTE_DT)

KERNEL ag_real huber_value(ag_real e, ag_real delta)
{
    const ag_real size = v_abs(e);
    return size <= delta ? K(0.5) * e * e : delta * (size - K(0.5) * delta);
}
KERNEL ag_real huber_slope(ag_real e, ag_real delta)
{
    return e > delta ? delta : e < -delta ? -delta : e;
}
#define HUBER(y, t, delta)    huber_value((y) - (t), delta)
#define HUBER_DY(y, t, delta) huber_slope((y) - (t), delta)
#define HUBER_DT(y, t, delta) huber_slope((t) - (y), delta)
LOSS(huber, delta, HUBER, HUBER_DY, HUBER_DT)

/* The loss of a logit x: max(0, x) - x t + ln(1 + e^-|x|). */
#define BINARY(x, t, w)    ((w) * (((x) > 0 ? (x) : 0) - (x) * (t) + v_log1p(v_exp(-v_abs(x)))))
#define BINARY_DX(x, t, w) ((w) * (v_sigmoid(x) - (t)))
#define BINARY_DT(x, t, w) (-(w) * (x))
LOSS(binary_cross_entropy, WEIGHT, BINARY, BINARY_DX, BINARY_DT)
