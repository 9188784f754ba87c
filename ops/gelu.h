/* SPDX-License-Identifier: MIT */
/* x Phi(x), the erf form of GELU, and its slope Phi(x) + x phi(x). Phi(x) and the slope are both
   computed as 1/2 + x P(x^2), with polynomials P of our own (minimax fits): without an exponential
   or a division, that takes half the time. The errors are 2e-7 of x for GELU and 5e-7 for the
   slope; without FMA, 4e-7 of x and 7e-7. The even and the odd terms are summed separately, so that
   one sum does not wait for the other. */
#ifndef AG_OPS_GELU_H
#define AG_OPS_GELU_H

#include "core/kernel.h"

#ifdef AG_DOUBLE

KERNEL double v__gelu(double x) { return 0.5 * x * erfc(-0.70710678118654752 * x); }
KERNEL double v__gelu_slope(double x)
{
    return 0.5 * erfc(-0.70710678118654752 * x) + x * 0.39894228040143268 * exp(-0.5 * x * x);
}

#else

KERNEL float v__clamp(float x, float most) /* a NaN stays */
{
    const float y = x > most ? most : x;
    return y < -most ? -most : y;
}

/* u is x^2, mapped from 0..5.4^2 to -1..1. */
KERNEL float v__gelu(float x)
{
    const float y = v__clamp(x, 5.4f), u = V_FMA(y * y, 0.068587102f, -1.0f), s = u * u;
    float even = 0.000392858376f, odd = -0.00102836872f;
    even = V_FMA(even, s, 0.000874935009f);
    even = V_FMA(even, s, 0.00365892076f);
    odd = V_FMA(odd, s, -0.00118641078f);
    even = V_FMA(even, s, 0.00965119712f);
    odd = V_FMA(odd, s, -0.00671533775f);
    even = V_FMA(even, s, 0.0196451433f);
    odd = V_FMA(odd, s, -0.0139633203f);
    even = V_FMA(even, s, 0.0321165957f);
    odd = V_FMA(odd, s, -0.0257464573f);
    even = V_FMA(even, s, 0.0484995916f);
    odd = V_FMA(odd, s, -0.039206814f);
    even = V_FMA(even, s, 0.130928114f);
    odd = V_FMA(odd, s, -0.0653280541f);
    return x * (x < -5.4f ? 0.0f : V_FMA(V_FMA(odd, u, even), y, 0.5f));
}

/* u is x^2, mapped from 0..5.8^2 to -1..1. */
KERNEL float v__gelu_slope(float x)
{
    const float y = v__clamp(x, 5.8f), u = V_FMA(y * y, 0.0594530329f, -1.0f), s = u * u;
    float even = 0.0062009152f, odd = -0.0148080215f;
    even = V_FMA(even, s, 0.00461594947f);
    even = V_FMA(even, s, 0.0285227448f);
    odd = V_FMA(odd, s, 0.00191608432f);
    even = V_FMA(even, s, 0.0487951599f);
    odd = V_FMA(odd, s, -0.0540037639f);
    even = V_FMA(even, s, 0.0675725862f);
    odd = V_FMA(odd, s, -0.0515667275f);
    even = V_FMA(even, s, 0.0655983016f);
    odd = V_FMA(odd, s, -0.0721518248f);
    even = V_FMA(even, s, 0.0501024909f);
    odd = V_FMA(odd, s, -0.0573453605f);
    even = V_FMA(even, s, 0.0486384407f);
    odd = V_FMA(odd, s, -0.0462218039f);
    even = V_FMA(even, s, 0.121998757f);
    odd = V_FMA(odd, s, -0.0616569892f);
    return V_FMA(V_FMA(odd, u, even), y, 0.5f);
}

#endif
#endif
