/* SPDX-License-Identifier: MIT */
/* batch_norm and batch_norm_given: y = (x - mean) / sqrt(variance + epsilon) gamma + beta, column
   by column, with the statistics of all rows or with given ones; and the layer that keeps moving
   averages of the statistics, and gives these when the tape is not training. */
#include "ops/batch_norm.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

static int check(ag_call *call)
{
    const ag_shape x = call->xs[0], column = AG_SHAPE(ag__columns(x));
    if (x.rank < 1) return ag__reject_input(call, 0, "x needs an axis");
    if (ag__rows(x) > INT_MAX) return ag__reject_input(call, 0, "x has more than 2^31 - 1 rows");
    for (int i = 1; i < call->n_in; i++)
        if (!ag_shape_equal(call->xs[i], column))
            return ag__reject_input(call, i, "the parameters need one element per column of x");
    if (!(call->attr.f[0] > 0))
        return ag__reject(call, "epsilon is %g, but must be above 0", call->attr.f[0]);
    call->ys[0] = x;
    return 0;
}

static int batch_norm_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (check(call)) return 1;
    if (ag__rows(x) == 1)
        return ag__reject_input(call, 0,
                                "x has one row, and a single row has no variance; train with two "
                                "or more, and leave out a last batch of one");
    call->ys[1] = call->ys[2] = AG_SHAPE(ag__columns(x));
    return 0;
}

static int64_t batch_norm_scratch(const ag_args *a, int backward)
{
    return (cut_slots(batch_norm_cut(a)) * 2 + (backward ? BATCH_VECTORS : 1)) *
           ag__columns(a->xs[0]);
}

#define F(n) \
 {           \
  1, { n }   \
 }
static const ag_case cases[] = {
    {.x = {{2, {5, 3}}, F(3), F(3)}, .attr = {.f = {1e-5}}},
    {.x = {{3, {5, 2, 33}}, F(33), F(33)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {0, 3}}, F(3), F(3)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {5, 0}}, F(0), F(0)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {2, 1}}, F(1), F(1)}, .attr = {.f = {7}}}, /* epsilon outweighs the column */
    {.x = {{2, {40, 32}}, F(32), F(32)}, .attr = {.f = {1e-5}}, .lo = 9, .hi = 11},
    {.x = {{2, {9, 1025}}, F(1025), F(1025)}, .attr = {.f = {1e-2}}},
    {.x = {{2, {300, 33}}, F(33), F(33)}, .attr = {.f = {1e-5}}}, /* three pieces */
    {.x = {{2, {128, 3}}, F(3), F(3)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {6, 5}}}, .attr = {.f = {1e-5}}},
};

static const ag_op batch_norm = {
    .name = "batch_norm",
    .formula = "y = (x - mean) / sqrt(variance + f0) gamma + beta, mean and variance down all rows",
    .inputs = "x gamma beta",
    .outputs = 3,
    .shape = batch_norm_shape,
    .forward = {&batch_norm_moments_kernel, &batch_norm_join_kernel, &batch_norm_factors_kernel,
                &batch_norm_apply_kernel},
    .prepare = {&batch_norm_sums_kernel, &batch_norm_join_back_kernel},
    .backward = {&batch_norm_backward_x_kernel, &batch_norm_backward_affine_kernel,
                 &batch_norm_backward_affine_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(1) | SAVE_Y(2),
    .scratch = batch_norm_scratch,
    .leads = 1,
    AG_CASES(cases),
};

#define GIVEN .attr = {.f = {1e-5}, .i = {1}}, .lo = 0.2, .hi = 2 /* a variance is above 0 */
static const ag_case given_cases[] = {
    {.x = {{2, {5, 3}}, F(3), F(3), F(3), F(3)}, GIVEN},
    {.x = {{3, {5, 2, 33}}, F(33), F(33), F(33), F(33)}, GIVEN},
    {.x = {{2, {0, 3}}, F(3), F(3), F(3), F(3)}, GIVEN},
    {.x = {{2, {5, 0}}, F(0), F(0), F(0), F(0)}, GIVEN},
    {.x = {{1, {32}}, F(32), F(32), F(32), F(32)}, GIVEN},
    {.x = {{2, {3, 1025}}, F(1025), F(1025), F(1025), F(1025)}, GIVEN},
    {.x = {{2, {300, 3}}, F(3), F(3), F(3), F(3)}, GIVEN},
    {.x = {{2, {6, 5}}, F(5), F(5)}, GIVEN},
};

static const ag_op batch_norm_given = {
    .name = "batch_norm_given",
    .formula = "y = (x - mean) / sqrt(variance + f0) gamma + beta, column by column",
    .inputs = "x mean variance gamma beta",
    .shape = check,
    .forward = {&batch_norm_factors_kernel, &batch_norm_apply_kernel},
    .prepare = {&batch_norm_sums_kernel, &batch_norm_join_back_kernel},
    .backward = {&batch_norm_backward_x_kernel, NULL, NULL, &batch_norm_backward_affine_kernel,
                 &batch_norm_backward_affine_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(3),
    .scratch = batch_norm_scratch,
    .leads = 1,
    AG_CASES(given_cases),
};

const ag_op *const ag__ops_batch_norm[] = {&batch_norm, &batch_norm_given, NULL};

static int has_all(ag_tape *tape, const ag_batch_norm_weights *w)
{
    if (w && w->mean && w->variance && !w->gamma == !w->beta) return 1;
    ag_tape_fail(
        tape, AG_EUSE,
        "ag_batch_norm: %s; give the parameters mean and variance, and gamma and beta both "
        "or neither",
        !w                         ? "weights is NULL"
        : !w->mean || !w->variance ? "mean or variance is NULL"
                                   : "one of gamma and beta is NULL");
    return 0;
}

ag_tensor *ag_batch_norm(const ag_batch_norm_weights *weights, ag_tensor *x, ag_real momentum,
                         ag_real epsilon)
{
    ag_tape *tape = ag_tape_of(x);
    const int given = !ag_is_training(tape);
    ag_tensor *in[5] = {x};
    int n = 1;
    if (!has_all(tape, weights)) return ag__poison(tape);
    if (given) {
        in[n++] = ag_parameter(tape, weights->mean);
        in[n++] = ag_parameter(tape, weights->variance);
    }
    if (weights->gamma) {
        in[n++] = ag_parameter(tape, weights->gamma);
        in[n++] = ag_parameter(tape, weights->beta);
    }
    ag_tensor *y = ag__record(given ? &batch_norm_given : &batch_norm, in, n,
                              &(ag_attr){.f = {(double)epsilon}, .i = {given}});
    if (given || ag__rows(ag_shape_of(y)) == 0) return y;
    ag_moving_average(weights->mean, ag__output(y, 1), momentum);
    ag_moving_average(weights->variance, ag__output(y, 2), momentum);
    return ag_failed(tape) ? ag__poison(tape) : y;
}
