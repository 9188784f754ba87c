/* SPDX-License-Identifier: MIT */
/* sum and mean of all elements; sum, mean and max along the columns (over the last axis). Sums save
   nothing, max saves the place of the first largest. */
#include "ops/reduce.h"
#include "ops/ops.h"
#include "ops/table.h"

static int scalar_shape(ag_call *call)
{
    call->ys[0] = AG_SCALAR;
    return 0;
}

static int columns_shape(ag_call *call)
{
    ag_shape y = call->xs[0];
    if (y.rank < 1) return ag__reject_input(call, 0, "x needs an axis");
    y.size[--y.rank] = 1;
    call->ys[0] = call->ys[1] = y;
    return 0;
}

static int64_t all_scratch(const ag_args *a, int backward)
{
    return backward ? 0 : reduce_all_rows(a);
}

static const ag_case sum_all_cases[] = {
    {.x = {{2, {3, 5}}}},
    {.x = {{1, {1}}}},
    {.x = {{0, {1}}}},
    {.x = {{1, {0}}}},
    {.x = {{1, {1025}}}},
    {.x = {{2, {3, 5}}}, .attr = {.i = {1}}},
    {.x = {{1, {0}}}, .attr = {.i = {1}}},
    {.x = {{1, {2051}}}, .attr = {.i = {1}}},
};

static const ag_op sum_all = {
    .name = "sum_all",
    .formula = "y = sum of all x (i0 = 1: their mean)",
    .inputs = "x",
    .shape = scalar_shape,
    .forward = {&sum_all_parts_kernel, &sum_all_total_kernel},
    .backward = {&sum_all_backward_kernel},
    .scratch = all_scratch,
    AG_CASES(sum_all_cases),
};

static const ag_case sum_columns_cases[] = {
    {.x = {{2, {3, 5}}}},
    {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}},
    {.x = {{1, {7}}}},
    {.x = {{2, {1, 1}}}},
    {.x = {{3, {2, 3, 31}}}},
    {.x = {{2, {2, 32}}}},
    {.x = {{2, {2, 33}}}, .attr = {.i = {1}}},
    {.x = {{2, {3, 1025}}}, .attr = {.i = {1}}},
    {.x = {{2, {3, 0}}}, .attr = {.i = {1}}},
};

static const ag_op sum_columns = {
    .name = "sum_columns",
    .formula = "y[r] = sum over f of x[r,f] (i0 = 1: mean)",
    .inputs = "x",
    .shape = columns_shape,
    .forward = {&sum_columns_forward_kernel},
    .backward = {&sum_columns_backward_kernel},
    .leads = 1,
    AG_CASES(sum_columns_cases),
};

static const ag_case max_columns_cases[] = {
    {.x = {{2, {3, 5}}}},
    {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}},
    {.x = {{1, {7}}}},
    {.x = {{2, {1, 1}}}},
    {.x = {{2, {3, 5}}}, .lo = 2, .hi = 2}, /* all equal: the first column has the gradient */
    {.x = {{3, {2, 3, 31}}}},
    {.x = {{2, {2, 32}}}},
    {.x = {{2, {2, 33}}}},
    {.x = {{2, {3, 1025}}}},
    {.x = {{1, {4099}}}},
};

static const ag_op max_columns = {
    .name = "max_columns",
    .formula = "y[r] = max over f of x[r,f]; 0 without columns (argmax: the first f that has it)",
    .inputs = "x",
    .ints = SAVE_Y(1),
    .outputs = 2,
    .shape = columns_shape,
    .forward = {&max_columns_forward_kernel},
    .backward = {&max_columns_backward_kernel},
    .saves = SAVE_Y(1),
    .leads = 1,
    .has_kinks = 1,
    AG_CASES(max_columns_cases),
};

const ag_op *const ag__ops_reduce[] = {&sum_all, &sum_columns, &max_columns, NULL};

static const ag_attr mean = {.i = {1}};

ag_tensor *ag_sum_all(ag_tensor *x) { return ag__record1(&sum_all, x, NULL); }
ag_tensor *ag_mean_all(ag_tensor *x) { return ag__record1(&sum_all, x, &mean); }
ag_tensor *ag_sum_columns(ag_tensor *x) { return ag__record1(&sum_columns, x, NULL); }
ag_tensor *ag_mean_columns(ag_tensor *x) { return ag__record1(&sum_columns, x, &mean); }
ag_tensor *ag_max_columns(ag_tensor *x) { return ag__record1(&max_columns, x, NULL); }
ag_tensor *ag_argmax(ag_tensor *x) { return ag__output(ag__record1(&max_columns, x, NULL), 1); }
