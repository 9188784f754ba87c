/* SPDX-License-Identifier: MIT */
/* Moves one element of a moving average towards x: written once, for autograd/average.c and
   core/cuda/optim.cu. */
#ifndef AG_CORE_AVERAGE_H
#define AG_CORE_AVERAGE_H

#include "core/kernel.h"

KERNEL ag_real ag__averaged(ag_real average, ag_real x, ag_real rate)
{
    return (1 - rate) * average + rate * x;
}

#endif
