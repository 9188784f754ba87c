/* SPDX-License-Identifier: MIT */
/* One step of SGD for one element: written once, for optim/sgd.c and core/cuda/optim.cu. */
#ifndef AG_CORE_SGD_H
#define AG_CORE_SGD_H

#include "core/kernel.h"

/* The constants of one step. */
typedef struct ag__sgd {
    ag_real rate, momentum;
    ag_real of_m, of_g; /* the step is of_m m + of_g g */
    ag_real l2;         /* of parameters with decay: g += l2 w */
} ag__sgd;

/* The constants for parameters without decay. */
AG_BOTH ag__sgd ag__sgd_plain(ag__sgd u)
{
    u.l2 = 0;
    return u;
}

KERNEL void ag__sgd_element(ag_real *w, ag_real *m, ag_real g, ag__sgd u)
{
    const ag_real d = g + u.l2 * *w;
    *m = u.momentum * *m + d;
    *w -= u.rate * (u.of_m * *m + u.of_g * d);
}

#endif
