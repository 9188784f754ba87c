/* SPDX-License-Identifier: MIT */
/* Losses that compare y with a target of the same shape, element by element. They are the mean over
   all elements; 0 if there are none. They save their inputs; a gradient flows to y and to the
   target. */
#include "ops/loss/loss.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

static int loss_shape(ag_call *call)
{
    if (ag__same_shape(call)) return 1;
    call->ys[0] = AG_SCALAR;
    return 0;
}

static int huber_shape(ag_call *call)
{
    if (!(call->attr.f[0] > 0))
        return ag__reject(call, "delta is %g, but must be above 0", call->attr.f[0]);
    return loss_shape(call);
}

static int64_t loss_scratch(const ag_args *a, int backward) { return backward ? 0 : loss_rows(a); }

#define CASES(from, to, delta)                                                              \
 {.x = {{1, {5}}, {1, {5}}}, .attr = {.f = {delta}}, .lo = from, .hi = to},                 \
     {.x = {{1, {0}}, {1, {0}}}, .attr = {.f = {delta}}, .lo = from, .hi = to},             \
     {.x = {{0, {1}}, {0, {1}}}, .attr = {.f = {delta}}, .lo = from, .hi = to},             \
     {.x = {{1, {1}}, {1, {1}}}, .attr = {.f = {delta}}, .lo = from, .hi = to},             \
     {.x = {{3, {2, 3, 5}}, {3, {2, 3, 5}}}, .attr = {.f = {delta}}, .lo = from, .hi = to}, \
     {.x = {{1, {31}}, {1, {31}}}, .attr = {.f = {delta}}, .lo = from, .hi = to},           \
     {.x = {{1, {32}}, {1, {32}}}, .attr = {.f = {delta}}, .lo = from, .hi = to},           \
     {.x = {{1, {33}}, {1, {33}}}, .attr = {.f = {delta}}, .lo = from, .hi = to},           \
     {.x = {{1, {1025}}, {1, {1025}}}, .attr = {.f = {delta}}, .lo = from, .hi = to},       \
 {                                                                                          \
  .x = {{2, {2, 1100}}, {2, {2, 1100}}}, .attr = {.f = {delta}}, .lo = from, .hi = to       \
 }

#define WEIGHTED(from, to, n)                               \
 {                                                          \
  .x = {{1, {n}}, {1, {n}}, {1, {n}}}, .lo = from, .hi = to \
 }

#define LOSS_OP(op_name, text, names, rule, kinks, ...)                        \
 static const ag_case op_name##_cases[] = {__VA_ARGS__};                       \
 static const ag_op op_name##_op = {                                           \
     .name = #op_name,                                                         \
     .formula = "y = mean of " text,                                           \
     .inputs = names,                                                          \
     .shape = rule,                                                            \
     .forward = {&op_name##_parts_kernel, &loss_total_kernel},                 \
     .backward = {&op_name##_backward_y_kernel, &op_name##_backward_t_kernel}, \
     .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2),                               \
     .scratch = loss_scratch,                                                  \
     .has_kinks = kinks,                                                       \
     AG_CASES(op_name##_cases)};

LOSS_OP(squared_error, "(y - t)^2", "y target", loss_shape, 0, CASES(-1, 1, 0))
LOSS_OP(absolute_error, "|y - t|", "y target", loss_shape, 1, CASES(-1, 1, 0))
LOSS_OP(huber, "e^2 / 2 where |e| <= f0, else f0 (|e| - f0 / 2), with e = y - t", "y target",
        huber_shape, 0, CASES(-2, 2, 0.7))
LOSS_OP(binary_cross_entropy, "w (max(0, x) - x t + ln(1 + e^-|x|)); without weight w = 1",
        "x target weight", loss_shape, 0, CASES(-3, 3, 0), WEIGHTED(-3, 3, 0), WEIGHTED(-3, 3, 1),
        WEIGHTED(-100, 100, 33), WEIGHTED(-3, 3, 1025))

const ag_op *const ag__ops_loss[] = {&squared_error_op, &absolute_error_op, &huber_op,
                                     &binary_cross_entropy_op, NULL};

ag_tensor *ag_squared_error(ag_tensor *y, ag_tensor *target)
{
    return ag__record2(&squared_error_op, y, target, NULL);
}

ag_tensor *ag_absolute_error(ag_tensor *y, ag_tensor *target)
{
    return ag__record2(&absolute_error_op, y, target, NULL);
}

ag_tensor *ag_huber(ag_tensor *y, ag_tensor *target, ag_real delta)
{
    return ag__record2(&huber_op, y, target, &(ag_attr){.f = {(double)delta}});
}

/* Fails the tape where a target that the caller gave is not a probability. */
static void check_targets(ag_tape *tape, const ag_tensor *target)
{
    const ag_real *t = ag__given(target);
    const int64_t n = ag_shape_count(ag_shape_of(target));
    int64_t i = 0;
    while (t && i < n && t[i] >= 0 && t[i] <= 1) i++;
    if (t && i < n)
        ag_tape_fail(tape, AG_EINDEX,
                     "binary_cross_entropy: target %lld is %g, but must be 0 to 1, the probability "
                     "of the class; write 1 for yes and 0 for no",
                     (long long)i, (double)t[i]);
}

ag_tensor *ag_binary_cross_entropy(ag_tensor *x, ag_tensor *target, ag_tensor *weight)
{
    ag_tensor *in[] = {x, target, weight};
    ag_tensor *y = ag__record(&binary_cross_entropy_op, in, weight ? 3 : 2, NULL);
    ag_tape *tape = ag_tape_of(y);
    if (!ag_failed(tape)) check_targets(tape, target);
    return ag_failed(tape) ? ag__poison(tape) : y;
}
