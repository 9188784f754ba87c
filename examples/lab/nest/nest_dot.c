/* SPDX-License-Identifier: MIT */
/* Multiply-add along a row, and dots: contiguous rows as vectors, strided ones element by element.
 */
#include "core/vmath.h"
#include "examples/lab/nest/nest.h"

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

nest_body nest_dot_body(int rows) { return rows ? dot_rows : dots; }
