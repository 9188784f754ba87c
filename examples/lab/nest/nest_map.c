/* SPDX-License-Identifier: MIT */
/* The elementwise inner loops: each op once, compiled for contiguous rows (vectors), for a row with
   a number, and for any strides. */
#include "core/vmath.h"
#include "examples/lab/nest/nest.h"

#include <string.h>

#define LOOP(so, sp, sq, sr, value)                              \
 for (int64_t i = 0; i < n; i++) {                               \
  const float a = p[i * (sp)], b = q[i * (sq)], c = r[i * (sr)]; \
  (void)a, (void)b, (void)c;                                     \
  out[i * (so)] = (value);                                       \
 }
/* An op of 1 to 3 inputs; missing ones do not move. */
#define MAP(inputs, name, value)                                                    \
 static void name(float *restrict out, const float *const *in, const nest_tail *t)  \
 {                                                                                  \
  enum { Q = inputs > 1, R = inputs > 2 };                                          \
  const float *p = in[0], *q = in[1], *r = in[2];                                   \
  const int64_t n = t->n, so = t->out, sp = t->in[0], sq = t->in[1], sr = t->in[2]; \
  if (so == 1 && sp == 1 && sq == Q && sr == R) {                                   \
   LOOP(1, 1, Q, R, value)                                                          \
  } else if (inputs == 2 && so == 1 && sp == 1 && sq == 0) {                        \
   LOOP(1, 1, 0, 0, value)                                                          \
  } else if (inputs == 2 && so == 1 && sp == 0 && sq == 1) {                        \
   LOOP(1, 0, 1, 0, value)                                                          \
  } else {                                                                          \
   LOOP(so, sp, sq, sr, value)                                                      \
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

MAP(1, map_truncate, truncf(a))
MAP(1, map_truth, choose(a, 1.0f, 0.0f))
MAP(1, map_move, a)
#undef LAB_OP
#undef LAB_MAP
#define LAB_OP(...)
#define LAB_MAP(name, text, code, arity, types, shape, y) MAP(arity, map_##name, y)
#include "examples/lab/program/ops.def"

static void map_copy(float *out, const float *const *in, const nest_tail *t)
{
    if (t->out == 1 && t->in[0] == 1)
        memcpy(out, in[0], (size_t)t->n * sizeof *out);
    else
        map_move(out, in, t);
}

#undef LAB_MAP
#define LAB_MAP(name, ...) [LAB_##name] = map_##name,
static const nest_body bodies[LAB_OPS] = {
#include "examples/lab/program/ops.def"
};

nest_body nest_map_body(lab_op op, lab_type type)
{
    if (op == LAB_CONVERT && type == LAB_S32) return map_truncate;
    if (op == LAB_CONVERT && type == LAB_PRED) return map_truth;
    return (unsigned)op < LAB_OPS && bodies[op] ? bodies[op] : map_copy;
}
