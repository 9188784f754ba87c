/* SPDX-License-Identifier: MIT */
/* The inner loops of reductions, along a row or along the reduction: contiguous ones as vectors,
   strided ones element by element. */
#include "core/vmath.h"
#include "examples/lab/nest/nest.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

/* Both inputs move along the row. */
INLINE void multiply_row(float *restrict out, int64_t so, const float *restrict a, int64_t sa,
                         const float *restrict b, int64_t sb, int64_t n)
{
    for (int64_t i = 0; i < n; i++) out[i * so] = V_FMA(a[i * sa], b[i * sb], out[i * so]);
}

/* One of them does not move: a number times a row. */
INLINE void add_row(float *restrict out, int64_t so, float a, const float *restrict b, int64_t sb,
                    int64_t n)
{
    for (int64_t i = 0; i < n; i++) out[i * so] = V_FMA(a, b[i * sb], out[i * so]);
}

/* Four rows at once, so that the output is loaded and stored once. */
INLINE void add_rows(float *restrict out, int64_t so, const float *a, int64_t ra,
                     const float *restrict b, int64_t sb, int64_t rb, int64_t n)
{
    const float a0 = a[0], a1 = a[ra], a2 = a[2 * ra], a3 = a[3 * ra];
    const float *restrict b1 = b + rb, *restrict b2 = b1 + rb, *restrict b3 = b2 + rb;
    for (int64_t i = 0; i < n; i++) {
        const float x = V_FMA(a1, b1[i * sb], V_FMA(a0, b[i * sb], out[i * so]));
        out[i * so] = V_FMA(a3, b3[i * sb], V_FMA(a2, b2[i * sb], x));
    }
}

INLINE void rows_of(float *out, int64_t so, const float *a, int64_t ra, const float *b, int64_t sb,
                    int64_t rb, const nest_tail *t)
{
    int64_t k = 0;
    for (; k + 4 <= t->r; k += 4) add_rows(out, so, a + k * ra, ra, b + k * rb, sb, rb, t->n);
    for (; k < t->r; k++) add_row(out, so, a[k * ra], b + k * rb, sb, t->n);
}

static void both_rows(float *out, const float *a, const float *b, const nest_tail *t)
{
    const int contiguous = t->out == 1 && t->in[0] == 1 && t->in[1] == 1;
    for (int64_t k = 0; k < t->r; k++, a += t->along[0], b += t->along[1]) {
        if (contiguous)
            multiply_row(out, 1, a, 1, b, 1, t->n);
        else
            multiply_row(out, t->out, a, t->in[0], b, t->in[1], t->n);
    }
}

static void dot_rows(float *out, const float *const *in, const nest_tail *t)
{
    if (t->in[0] && t->in[1]) {
        both_rows(out, in[0], in[1], t);
        return;
    }
    const int still = t->in[0] ? 1 : 0, row = 1 - still;
    const float *a = in[still], *b = in[row];
    const int64_t ra = t->along[still], rb = t->along[row];
    if (t->out == 1 && t->in[row] == 1)
        rows_of(out, 1, a, ra, b, 1, rb, t);
    else if (t->out == 1)
        rows_of(out, 1, a, ra, b, t->in[row], rb, t);
    else
        rows_of(out, t->out, a, ra, b, t->in[row], rb, t);
}

/* A dot in eight partial sums, which the compiler keeps in a vector, added in a fixed order. */
INLINE float dot(const float *restrict a, int64_t ra, const float *restrict b, int64_t rb,
                 int64_t n)
{
    enum { LANES = 8 };
    float sum[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) sum[j] = V_FMA(a[(i + j) * ra], b[(i + j) * rb], sum[j]);
    for (int j = 0; i < n; i++, j++) sum[j] = V_FMA(a[i * ra], b[i * rb], sum[j]);
    const float low = (sum[0] + sum[4]) + (sum[1] + sum[5]);
    return low + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

static void dots(float *out, const float *const *in, const nest_tail *t)
{
    const float *a = in[0], *b = in[1];
    const int contiguous = t->along[0] == 1 && t->along[1] == 1;
    for (int64_t i = 0; i < t->n; i++, out += t->out, a += t->in[0], b += t->in[1])
        *out += contiguous ? dot(a, 1, b, 1, t->r) : dot(a, t->along[0], b, t->along[1], t->r);
}

INLINE float join(nest_kind kind, float a, float b)
{
    if (kind == NEST_SUM) return a + b;
    return a > b ? a : b;
}

INLINE void join_rows(nest_kind kind, float *restrict out, int64_t so, const float *restrict x,
                      int64_t sx, int64_t rx, const nest_tail *t)
{
    int64_t k = 0;
    for (; k + 4 <= t->r; k += 4, x += 4 * rx) {
        const float *restrict x1 = x + rx, *restrict x2 = x1 + rx, *restrict x3 = x2 + rx;
        for (int64_t i = 0; i < t->n; i++)
            out[i * so] = join(
                kind, out[i * so],
                join(kind, join(kind, x[i * sx], x1[i * sx]), join(kind, x2[i * sx], x3[i * sx])));
    }
    for (; k < t->r; k++, x += rx)
        for (int64_t i = 0; i < t->n; i++) out[i * so] = join(kind, out[i * so], x[i * sx]);
}

INLINE void rows(nest_kind kind, float *out, const float *x, const nest_tail *t)
{
    if (t->out == 1 && t->in[0] == 1)
        join_rows(kind, out, 1, x, 1, t->along[0], t);
    else
        join_rows(kind, out, t->out, x, t->in[0], t->along[0], t);
}

/* One row in eight parts, joined in a fixed order. */
INLINE float fold(nest_kind kind, const float *restrict x, int64_t rx, int64_t n)
{
    enum { LANES = 8 };
    float part[LANES];
    for (int j = 0; j < LANES; j++) part[j] = kind == NEST_SUM ? 0.0f : -INFINITY;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) part[j] = join(kind, part[j], x[(i + j) * rx]);
    for (int j = 0; i < n; i++, j++) part[j] = join(kind, part[j], x[i * rx]);
    for (int half = LANES / 2; half; half /= 2)
        for (int j = 0; j < half; j++) part[j] = join(kind, part[j], part[j + half]);
    return part[0];
}

INLINE void folds(nest_kind kind, float *out, const float *x, const nest_tail *t)
{
    for (int64_t i = 0; i < t->n; i++, out += t->out, x += t->in[0]) {
        const float row =
            t->along[0] == 1 ? fold(kind, x, 1, t->r) : fold(kind, x, t->along[0], t->r);
        *out = join(kind, *out, row);
    }
}

#define BODIES(name, kind)                                                        \
 static void name##_rows(float *out, const float *const *in, const nest_tail *t)  \
 {                                                                                \
  rows(kind, out, in[0], t);                                                      \
 }                                                                                \
 static void name##_folds(float *out, const float *const *in, const nest_tail *t) \
 {                                                                                \
  folds(kind, out, in[0], t);                                                     \
 }
BODIES(sum, NEST_SUM)
BODIES(max, NEST_MAX)

nest_body nest_reduce_body(nest_kind kind, int rows)
{
    if (kind == NEST_DOT) return rows ? dot_rows : dots;
    if (kind == NEST_SUM) return rows ? sum_rows : sum_folds;
    return rows ? max_rows : max_folds;
}
