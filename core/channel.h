/* SPDX-License-Identifier: MIT */
/* The formulas of channel attention for one value, y = x sigmoid(v): the products that lead to v
   are somebody else's. */
#ifndef AG_CORE_CHANNEL_H
#define AG_CORE_CHANNEL_H

#include "core/vmath.h"

/* The hidden value; a NaN stays. */
AG_BOTH ag_real ag__squeezed(ag_real v) { return v < 0 ? 0 : v; }

AG_BOTH ag_real ag__gated(ag_real x, ag_real v) { return x * v_sigmoid(v); }

/* The gradient of x as a factor, and of v to *dv. */
AG_BOTH ag_real ag__gate_back(ag_real *dv, ag_real x, ag_real dy, ag_real v)
{
    const ag_real g = v_sigmoid(v), d = dy * g;
    *dv = d * x * (1 - g);
    return d;
}

#endif
