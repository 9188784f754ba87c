/* SPDX-License-Identifier: MIT */
/* The formulas of channel attention for one value, y = x sigmoid(v). The caller computes v. */
#ifndef AG_CORE_CHANNEL_H
#define AG_CORE_CHANNEL_H

#include "core/vmath.h"

/* The hidden value max(v, 0); a NaN stays. */
AG_BOTH ag_real ag__squeezed(ag_real v) { return v < 0 ? 0 : v; }

AG_BOTH ag_real ag__gated(ag_real x, ag_real v) { return x * v_sigmoid(v); }

/* Returns the gradient of x for a constant v, and stores the gradient of v in *dv. */
AG_BOTH ag_real ag__gate_back(ag_real *dv, ag_real x, ag_real dy, ag_real v)
{
    const ag_real g = v_sigmoid(v), d = dy * g;
    *dv = d * x * (1 - g);
    return d;
}

#endif
