/* SPDX-License-Identifier: MIT */
/* The change of one element by a step of an optimizer or by a moving average: written once, for
   optim, autograd/average.c and core/cuda/optim.cu. */
#ifndef AG_CORE_UPDATE_H
#define AG_CORE_UPDATE_H

#include "core/kernel.h"

/* ---- AdamW ---- */

/* The constants of one step, computed once. */
typedef struct ag__adamw {
    ag_real b1, c1, b2, c2; /* beta and 1 - beta */
    ag_real rate;           /* lr / (1 - b1^t) */
    ag_real unbias;         /* 1 / sqrt(1 - b2^t) */
    ag_real epsilon;
    ag_real keep, l2; /* of parameters with decay: w *= keep, g += l2 w */
} ag__adamw;

KERNEL void ag__adamw_element(ag_real *w, ag_real *m, ag_real *v, ag_real g, ag__adamw u, int decay)
{
    const ag_real keep = decay ? u.keep : 1, d = g + (decay ? u.l2 : 0) * *w;
    *m = u.b1 * *m + u.c1 * d;
    *v = u.b2 * *v + u.c2 * (d * d);
    *w = keep * *w - u.rate * (*m / (v_sqrt(*v) * u.unbias + u.epsilon));
}

/* ---- SGD ---- */

/* The constants of one step. */
typedef struct ag__sgd {
    ag_real rate, momentum;
    ag_real of_m, of_g; /* the step is of_m m + of_g g */
    ag_real l2;         /* of parameters with decay: g += l2 w */
} ag__sgd;

KERNEL void ag__sgd_element(ag_real *w, ag_real *m, ag_real g, ag__sgd u, int decay)
{
    const ag_real d = g + (decay ? u.l2 : 0) * *w;
    *m = u.momentum * *m + d;
    *w -= u.rate * (u.of_m * *m + u.of_g * d);
}

/* ---- moving averages: moves one towards x ---- */

KERNEL ag_real ag__averaged(ag_real average, ag_real x, ag_real rate)
{
    return (1 - rate) * average + rate * x;
}

#endif
