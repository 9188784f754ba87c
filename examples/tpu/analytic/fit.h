/* SPDX-License-Identifier: MIT */
/* Fitting a few positive coefficients to an error that has no useful gradient. */
#ifndef TPU_FIT_H
#define TPU_FIT_H

#include "core/core.h"

/* Lowers error(x) by multiplying or dividing one x at a time by steps that get smaller, from 64 to
   1.02, until none helps. It starts from the given x and from three points drawn around it, and
   keeps the best result. x [n], 32 at most, stay above 0. Returns the error. The result depends on
   the inputs alone. Source: pattern search, Hooke and Jeeves (1961), in the logarithms. */
double tpu_fit(double *x, int n, double (*error)(const double *x, void *context), void *context);

#endif
