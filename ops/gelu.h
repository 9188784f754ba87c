/* SPDX-License-Identifier: MIT */
/* x Phi(x), the erf form of GELU, and its slope Phi(x) + x phi(x). */
#ifndef AG_OPS_GELU_H
#define AG_OPS_GELU_H

#include "core/kernel.h"

KERNEL ag_real v__gelu(ag_real x)
{
    ag_real density;
    return x * v_phi(&density, x);
}
KERNEL ag_real v__gelu_slope(ag_real x)
{
    ag_real density;
    const ag_real phi = v_phi(&density, x);
    return phi + x * density;
}

#endif
