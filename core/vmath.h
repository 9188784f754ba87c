/* SPDX-License-Identifier: MIT */
/* Branch-free exp, log, tanh, sigmoid and erf that the C compiler vectorises and nvcc compiles too.
   The double build computes them with libm. The coefficients are our own minimax fits;
   tests/core/test_vmath.c bounds the error of each function in units in the last place. The header
   is public, but augur.h does not include it, since its names begin with v_ instead of ag_. The
   bits depend on whether the target processor has a fused multiply-add (V_FMA). */
#ifndef AG_CORE_VMATH_H
#define AG_CORE_VMATH_H

#include "core/types.h"

#include <math.h>
#include <string.h>

#ifdef __CUDACC__
# define AG_BOTH static __host__ __device__ inline
#else
# define AG_BOTH static inline __attribute__((always_inline, unused))
#endif

/* a b + c, with one rounding where the processor can do so. It is explicit, since a compiler may
   otherwise contract the body of a loop and its tail differently. */
#if defined(__FP_FAST_FMAF) || defined(__CUDACC__)
# define V_FMA(a, b, c) fmaf(a, b, c)
#else
# define V_FMA(a, b, c) ((a) * (b) + (c))
#endif

#ifdef AG_DOUBLE

# define V_TINY 2.2250738585072014e-308
AG_BOTH double v_exp(double x) { return exp(x); }
AG_BOTH double v_exp_down(double x) { return exp(x); }
AG_BOTH double v_log(double x) { return log(x); }
AG_BOTH double v_tanh(double x) { return tanh(x); }
AG_BOTH double v_erf(double x) { return erf(x); }
AG_BOTH double v_sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
AG_BOTH double v_sqrt(double x) { return sqrt(x); }
AG_BOTH double v_abs(double x) { return fabs(x); }
AG_BOTH double v_log1p(double x) { return log1p(x); }

#else

# define V_TINY 1.17549435e-38f

AG_BOTH float v_abs(float x) { return fabsf(x); }
AG_BOTH float v_sqrt(float x) { return sqrtf(x); }

AG_BOTH float v__from_bits(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
AG_BOTH int32_t v__to_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* 2^n for n in -126..127; any other n, which only a NaN causes, gives some number. */
AG_BOTH float v__power_of_two(int32_t n)
{
    return v__from_bits((int32_t)((uint32_t)(n + 127) << 23));
}

/* x = n ln2 + r, |r| <= ln2/2: returns e^r, by a polynomial, and sets t to n + 1.5 * 2^23, with n
   in the last bits. */
AG_BOTH float v__exp_rest(float *t, float x)
{
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    *t = V_FMA(x, 1.44269504f, shift);
    const float n = *t - shift;
    const float r = V_FMA(n, -1.42860677e-6f, V_FMA(n, -0.693145752f, x));
    float p = 0.000199089087f;
    p = V_FMA(p, r, 0.00139345442f);
    p = V_FMA(p, r, 0.00833328410f);
    p = V_FMA(p, r, 0.0416664568f);
    p = V_FMA(p, r, 0.166666668f);
    p = V_FMA(p, r, 0.500000001f);
    return V_FMA(p, r * r, r) + 1.0f;
}

/* e^x. 2^n is applied as two factors, so that both ends of the range are right. */
AG_BOTH float v_exp(float x)
{
    float t, y = x > 89.0f ? 89.0f : x; /* e^89 overflows; a NaN stays */
    y = y < -104.0f ? -104.0f : y;      /* e^-104 underflows */
    const float p = v__exp_rest(&t, y);
    const int32_t e = v__to_bits(t) - v__to_bits(12582912.0f);
    const int32_t half = e >> 1;
    return p * v__power_of_two(half) * v__power_of_two(e - half);
}

/* e^x for x <= 0, in fewer steps; a result below 2^-126 is 0. */
AG_BOTH float v_exp_down(float x)
{
    float t;
    const float p = v__exp_rest(&t, x < -88.0f ? -88.0f : x); /* a NaN stays */
    return p * v__from_bits((int32_t)(((uint32_t)v__to_bits(t) << 23) + 0x3f800000u));
}

/* ln x: x = 2^e m, m in [sqrt(1/2), sqrt(2)); ln m by a polynomial in m - 1. Subnormal numbers are
 * scaled first. */
AG_BOTH float v_log(float x)
{
    const int tiny = x < V_TINY;
    const float z = tiny ? x * 8388608.0f : x;
    const int32_t bits = (int32_t)((uint32_t)v__to_bits(z) - 0x3f3504f3u);
    const int32_t e = bits >> 23;
    const float f = v__from_bits((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
    const float n = (float)e - (tiny ? 23.0f : 0.0f);
    float p = -0.0830548773f;
    p = V_FMA(p, f, 0.127989401f);
    p = V_FMA(p, f, -0.129434030f);
    p = V_FMA(p, f, 0.141902319f);
    p = V_FMA(p, f, -0.166434891f);
    p = V_FMA(p, f, 0.200018801f);
    p = V_FMA(p, f, -0.250002808f);
    p = V_FMA(p, f, 0.333333265f);
    const float s = f * f;
    float y = V_FMA(n, 1.42860677e-6f, V_FMA(s * f, p, -0.5f * s));
    y = V_FMA(n, 0.693145752f, f + y);
    y = x > 3.4028234e38f ? x : y;
    y = x == 0 ? -INFINITY : y;
    return x >= 0 ? y : NAN;
}

/* tanh x = x + x^3 P(x^2) near 0, 1 - 2 / (1 + e^2|x|) beyond. */
AG_BOTH float v_tanh(float x)
{
    const float t = v_abs(x), s = x * x;
    float p = 0.00222182839f;
    p = V_FMA(p, s, -0.00827978638f);
    p = V_FMA(p, s, 0.0217489037f);
    p = V_FMA(p, s, -0.0539567607f);
    p = V_FMA(p, s, 0.133332929f);
    p = V_FMA(p, s, -0.333333331f);
    const float near = V_FMA(x, s * p, x);
    const float far = copysignf(1.0f - 2.0f / (1.0f + v_exp(2.0f * t)), x);
    return t < 0.65f ? near : far;
}

AG_BOTH float v_sigmoid(float x) { return 1.0f / (1.0f + v_exp(-x)); }

/* ln(1 + x) for x > -1. */
AG_BOTH float v_log1p(float x)
{
    const float u = 1.0f + x, d = u - 1.0f;
    const float scaled = v_log(u) * (x / (d == 0 ? 1.0f : d));
    return d == 0 ? x : u > 3.4028234e38f ? u : scaled;
}

/* erf x = x P(x^2) below 1, 1 - e^-Q(|x|) from 1 to 4, +-1 beyond. */
AG_BOTH float v_erf(float x)
{
    const float a = v_abs(x), t = a > 4.0f ? 4.0f : a, s = x * x;
    float p = 7.88912317e-5f;
    p = V_FMA(p, s, -8.02084237e-4f);
    p = V_FMA(p, s, 0.00518953546f);
    p = V_FMA(p, s, -0.0268544447f);
    p = V_FMA(p, s, 0.112836002f);
    p = V_FMA(p, s, -0.376126271f);
    p = V_FMA(p, s, 1.12837917f);
    float q = 2.16867487e-5f;
    q = V_FMA(q, t, -4.41335118e-4f);
    q = V_FMA(q, t, 0.00420455530f);
    q = V_FMA(q, t, -0.0252082380f);
    q = V_FMA(q, t, 0.108418546f);
    q = V_FMA(q, t, 0.633219924f);
    q = V_FMA(q, t, 1.12957841f);
    q = V_FMA(q, t, -1.88036460e-4f);
    const float far = copysignf(1.0f - v_exp(-q), x);
    return a < 1.0f ? x * p : a >= 1.0f ? far : x; /* the last case is a NaN */
}

#endif
#endif
