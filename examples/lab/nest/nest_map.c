/* SPDX-License-Identifier: MIT */
/* The elementwise inner loops: each op once, compiled for contiguous rows (vectors), for a row with
   a number, and for any strides. */
#include "core/vmath.h"
#include "examples/lab/nest/nest.h"

#include <math.h>
#include <string.h>

/* One input: contiguous, or any strides. */
#define LOOP_1(so, sp, value)      \
 for (int64_t i = 0; i < n; i++) { \
  const float a = p[i * (sp)];     \
  out[i * (so)] = (value);         \
 }
#define MAP_1(name, value)                                                         \
 static void name(float *restrict out, const float *const *in, const nest_tail *t) \
 {                                                                                 \
  const float *restrict p = in[0];                                                 \
  const int64_t n = t->n, so = t->out, sp = t->in[0];                              \
  if (so == 1 && sp == 1) {                                                        \
   LOOP_1(1, 1, value)                                                             \
  } else {                                                                         \
   LOOP_1(so, sp, value)                                                           \
  }                                                                                \
 }

/* Two inputs: both contiguous, the first or the second a number, or any strides. */
#define LOOP_2(so, sp, sq, value)               \
 for (int64_t i = 0; i < n; i++) {              \
  const float a = p[i * (sp)], b = q[i * (sq)]; \
  out[i * (so)] = (value);                      \
 }
#define MAP_2(name, value)                                                         \
 static void name(float *restrict out, const float *const *in, const nest_tail *t) \
 {                                                                                 \
  const float *p = in[0], *q = in[1];                                              \
  const int64_t n = t->n, so = t->out, sp = t->in[0], sq = t->in[1];               \
  if (so == 1 && sp == 1 && sq == 1) {                                             \
   LOOP_2(1, 1, 1, value)                                                          \
  } else if (so == 1 && sp == 1 && sq == 0) {                                      \
   LOOP_2(1, 1, 0, value)                                                          \
  } else if (so == 1 && sp == 0 && sq == 1) {                                      \
   LOOP_2(1, 0, 1, value)                                                          \
  } else {                                                                         \
   LOOP_2(so, sp, sq, value)                                                       \
  }                                                                                \
 }

#define LOOP_3(so, sp, sq, sr, value)                            \
 for (int64_t i = 0; i < n; i++) {                               \
  const float a = p[i * (sp)], b = q[i * (sq)], c = r[i * (sr)]; \
  out[i * (so)] = (value);                                       \
 }
#define MAP_3(name, value)                                                          \
 static void name(float *restrict out, const float *const *in, const nest_tail *t)  \
 {                                                                                  \
  const float *p = in[0], *q = in[1], *r = in[2];                                   \
  const int64_t n = t->n, so = t->out, sp = t->in[0], sq = t->in[1], sr = t->in[2]; \
  if (so == 1 && sp == 1 && sq == 1 && sr == 1) {                                   \
   LOOP_3(1, 1, 1, 1, value)                                                        \
  } else {                                                                          \
   LOOP_3(so, sp, sq, sr, value)                                                    \
  }                                                                                 \
 }

/* By bits, since a branch on the values themselves would be mispredicted more or less often. */
static inline float choose(float which, float yes, float no)
{
    uint32_t chosen, other;
    memcpy(&chosen, &yes, sizeof chosen);
    memcpy(&other, &no, sizeof other);
    const uint32_t mask = 0u - (uint32_t)(which != 0.0f), bits = (chosen & mask) | (other & ~mask);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

MAP_1(map_abs, fabsf(a))
MAP_1(map_exp, v_exp(a))
MAP_1(map_log, v_log(a))
MAP_1(map_logistic, v_sigmoid(a))
MAP_1(map_negate, -a)
MAP_1(map_rsqrt, 1.0f / sqrtf(a))
MAP_1(map_sqrt, sqrtf(a))
MAP_1(map_sign, (float)((a > 0.0f) - (a < 0.0f)))
MAP_1(map_tanh, v_tanh(a))
MAP_1(map_not, choose(a, 0.0f, 1.0f))
MAP_1(map_truncate, truncf(a))
MAP_1(map_truth, choose(a, 1.0f, 0.0f))
MAP_1(map_move, a)
MAP_2(map_add, a + b)
MAP_2(map_subtract, a - b)
MAP_2(map_multiply, a *b)
MAP_2(map_divide, a / b)
MAP_2(map_maximum, a > b ? a : b)
MAP_2(map_minimum, a < b ? a : b)
MAP_2(map_power, powf(a, b))
MAP_2(map_compare, (float)(a > b))
MAP_2(map_and, (float)((a != 0.0f) & (b != 0.0f)))
MAP_2(map_or, (float)((a != 0.0f) | (b != 0.0f)))
MAP_3(map_select, choose(a, b, c))
MAP_3(map_clamp, b < a ? a : (b > c ? c : b))

static void map_copy(float *out, const float *const *in, const nest_tail *t)
{
    if (t->out == 1 && t->in[0] == 1)
        memcpy(out, in[0], (size_t)t->n * sizeof *out);
    else
        map_move(out, in, t);
}

static const nest_body bodies[LAB_OPS] = {
    [LAB_ABS] = map_abs,           [LAB_EXPONENTIAL] = map_exp, [LAB_LOG] = map_log,
    [LAB_LOGISTIC] = map_logistic, [LAB_NEGATE] = map_negate,   [LAB_RSQRT] = map_rsqrt,
    [LAB_SQRT] = map_sqrt,         [LAB_SIGN] = map_sign,       [LAB_TANH] = map_tanh,
    [LAB_NOT] = map_not,           [LAB_ADD] = map_add,         [LAB_SUBTRACT] = map_subtract,
    [LAB_MULTIPLY] = map_multiply, [LAB_DIVIDE] = map_divide,   [LAB_MAXIMUM] = map_maximum,
    [LAB_MINIMUM] = map_minimum,   [LAB_POWER] = map_power,     [LAB_COMPARE] = map_compare,
    [LAB_AND] = map_and,           [LAB_OR] = map_or,           [LAB_SELECT] = map_select,
    [LAB_CLAMP] = map_clamp,
};

nest_body nest_map_body(lab_op op, lab_type type)
{
    if (op == LAB_CONVERT && type == LAB_S32) return map_truncate;
    if (op == LAB_CONVERT && type == LAB_PRED) return map_truth;
    return (unsigned)op < LAB_OPS && bodies[op] ? bodies[op] : map_copy;
}
