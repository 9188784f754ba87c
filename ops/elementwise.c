/* SPDX-License-Identifier: MIT */
/* Table entries and public functions of the rows in elementwise.def. */
#include "ops/elementwise.h"
#include "ops/ops.h"
#include "ops/table.h"

/* The declarations of ops/elementwise_ops.h once more, from the table: the compiler compares them,
   and the library can be built with a row that is not there yet. */
#define MAP(name, ...)  AG_API ag_tensor *ag_##name(ag_tensor *x);
#define MAP1(name, ...) AG_API ag_tensor *ag_##name(ag_tensor *x, ag_real p);
#define MAP2(name, ...) AG_API ag_tensor *ag_##name(ag_tensor *x, ag_real p, ag_real q);
#define ZIP(name, ...)  AG_API ag_tensor *ag_##name(ag_tensor *x, ag_tensor *z);
#include "ops/elementwise.def"

#define NONE ((double)NAN)

/* Sizes around the vector width; a scalar; nothing. */
#define CASES(name, P, Q, from, to)                                                    \
 static const ag_case name##_cases[] = {                                               \
     {.x = {{1, {1}}, {1, {1}}}, .attr = {.f = {P, Q}}, .lo = from, .hi = to},         \
     {.x = {{0, {1}}, {0, {1}}}, .attr = {.f = {P, Q}}, .lo = from, .hi = to},         \
     {.x = {{1, {0}}, {1, {0}}}, .attr = {.f = {P, Q}}, .lo = from, .hi = to},         \
     {.x = {{2, {3, 11}}, {2, {3, 11}}}, .attr = {.f = {P, Q}}, .lo = from, .hi = to}, \
     {.x = {{1, {31}}, {1, {31}}}, .attr = {.f = {P, Q}}, .lo = from, .hi = to},       \
     {.x = {{1, {32}}, {1, {32}}}, .attr = {.f = {P, Q}}, .lo = from, .hi = to},       \
     {.x = {{1, {1025}}, {1, {1025}}}, .attr = {.f = {P, Q}}, .lo = from, .hi = to},   \
 };

#define SAVES(reads)                                                      \
 (((reads)&READS_X ? SAVE_X(0) : 0) | ((reads)&READS_Z ? SAVE_X(1) : 0) | \
  ((reads)&READS_Y ? SAVE_Y(0) : 0))

#define OP(op_name, text, names, reads, from, to, P, Q, kink_at, ...)       \
 CASES(op_name, P, Q, from, to)                                             \
 static const ag_op op_name##_op = {.name = #op_name,                       \
                                    .formula = "y = " text,                 \
                                    .inputs = names,                        \
                                    .shape = ag__same_shape,                \
                                    .forward = {&op_name##_forward_kernel}, \
                                    .backward = {__VA_ARGS__},              \
                                    .saves = SAVES(READS_##reads),          \
                                    .elementwise = 1,                       \
                                    .kink = kink_at,                        \
                                    AG_CASES(op_name##_cases)};
#define MAP_OP(name, text, reads, lo, hi, P, Q, kink) \
 OP(name, text, "x", reads, lo, hi, P, Q, kink, &name##_backward_kernel)

#define MAP(name, value, slope, reads, lo, hi, kink, about) \
 MAP_OP(name, #value, reads, lo, hi, 0, 0, kink)            \
 ag_tensor *ag_##name(ag_tensor *x) { return ag__record1(&name##_op, x, NULL); }
#define MAP1(name, value, slope, reads, lo, hi, P, kink, about)    \
 MAP_OP(name, #value, reads, lo, hi, P, 0, kink)                   \
 ag_tensor *ag_##name(ag_tensor *x, ag_real p)                     \
 {                                                                 \
  return ag__record1(&name##_op, x, &(ag_attr){.f = {(double)p}}); \
 }
#define MAP2(name, value, slope, reads, lo, hi, P, Q, kink, about)            \
 MAP_OP(name, #value, reads, lo, hi, P, Q, kink)                              \
 ag_tensor *ag_##name(ag_tensor *x, ag_real p, ag_real q)                     \
 {                                                                            \
  return ag__record1(&name##_op, x, &(ag_attr){.f = {(double)p, (double)q}}); \
 }
#define ZIP(name, value, slope_x, slope_z, reads, lo, hi, about)               \
 OP(name, #value, "x z", reads, lo, hi, 0, 0, NONE, &name##_backward_x_kernel, \
    &name##_backward_z_kernel)                                                 \
 ag_tensor *ag_##name(ag_tensor *x, ag_tensor *z) { return ag__record2(&name##_op, x, z, NULL); }
#include "ops/elementwise.def"

const ag_op *const ag__ops_elementwise[] = {
#define MAP(name, ...)  &name##_op,
#define MAP1(name, ...) &name##_op,
#define MAP2(name, ...) &name##_op,
#define ZIP(name, ...)  &name##_op,
#include "ops/elementwise.def"
    NULL};
