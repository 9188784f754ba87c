/* SPDX-License-Identifier: MIT */
/* Sums and maxima: rows added to a row, or each row to one number. */
#include "examples/lab/nest/nest.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

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
    if (kind == NEST_SUM) return rows ? sum_rows : sum_folds;
    return rows ? max_rows : max_folds;
}
