/* SPDX-License-Identifier: MIT */
/* mul_columns: y[r,f] = x[r,f] s[f]; mul_rows: y[r,f] = x[r,f] s[r]. Both save x and s. add_bias:
   y[r,f] = x[r,f] + b[f]. */
#include "ops/scale_rows.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

static int per_column_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], v = call->xs[1];
    if (x.rank < 1 || v.rank != 1 || v.size[0] != ag__columns(x))
        return ag__reject_input(call, 1, "%s needs one element per column of x",
                                call->op->inputs + 2); /* its name: "x s", "x b" */
    call->ys[0] = x;
    return 0;
}

CALL(mul_columns_backward_s)
{
    ag__column_sums(a->device, DX, DY(0), X(0), ag__rows(a->xs[0]), ag__columns(a->xs[0]), a->add,
                    a->scratch);
}

static void bias_backward(const ag_args *a)
{
    ag__column_sums(a->device, DX, DY(0), NULL, ag__rows(a->ys[0]), ag__columns(a->ys[0]), a->add,
                    a->scratch);
}
const ag_kernel ag__bias_backward = {
    .name = "bias_backward", .call = bias_backward, .cuda = bias_backward};

int64_t ag__bias_scratch(const ag_args *a, int backward)
{
    return backward ? ag__column_scratch(ag__rows(a->ys[0]), ag__columns(a->ys[0])) : 0;
}

static const ag_case mul_columns_cases[] = {
    {.x = {{2, {3, 5}}, {1, {5}}}},    {.x = {{3, {2, 3, 33}}, {1, {33}}}},
    {.x = {{2, {0, 5}}, {1, {5}}}},    {.x = {{2, {3, 0}}, {1, {0}}}},
    {.x = {{1, {1}}, {1, {1}}}},       {.x = {{2, {2, 31}}, {1, {31}}}},
    {.x = {{2, {2, 32}}, {1, {32}}}},  {.x = {{2, {2, 1025}}, {1, {1025}}}},
    {.x = {{2, {1100, 3}}, {1, {3}}}},
};

static const ag_op mul_columns = {
    .name = "mul_columns",
    .formula = "y[r,f] = x[r,f] s[f]",
    .inputs = "x s",
    .shape = per_column_shape,
    .forward = {&mul_columns_forward_kernel},
    .backward = {&mul_columns_backward_x_kernel, &mul_columns_backward_s_kernel},
    .saves = SAVE_X(0) | SAVE_X(1),
    .scratch = ag__bias_scratch,
    .leads = 1,
    AG_CASES(mul_columns_cases),
};

static const ag_case add_bias_cases[] = {
    {.x = {{2, {3, 5}}, {1, {5}}}},
    {.x = {{3, {2, 3, 33}}, {1, {33}}}},
    {.x = {{2, {0, 5}}, {1, {5}}}},
    {.x = {{2, {1100, 3}}, {1, {3}}}},
};

static const ag_op add_bias = {
    .name = "add_bias",
    .formula = "y[r,f] = x[r,f] + b[f]",
    .inputs = "x b",
    .shape = per_column_shape,
    .forward = {&add_bias_forward_kernel},
    .backward = {&add_bias_backward_x_kernel, &ag__bias_backward},
    .scratch = ag__bias_scratch,
    .leads = 1,
    AG_CASES(add_bias_cases),
};

static int mul_rows_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank < 1 || ag_shape_count(call->xs[1]) != ag__rows(x))
        return ag__reject_input(call, 1, "s needs one element per row of x");
    call->ys[0] = x;
    return 0;
}

static const ag_case mul_rows_cases[] = {
    {.x = {{2, {3, 5}}, {1, {3}}}},       {.x = {{3, {2, 3, 33}}, {2, {2, 3}}}},
    {.x = {{3, {2, 3, 4}}, {1, {6}}}},    {.x = {{2, {0, 5}}, {1, {0}}}},
    {.x = {{2, {3, 0}}, {1, {3}}}},       {.x = {{1, {1}}, {1, {1}}}},
    {.x = {{1, {7}}, {0, {1}}}},          {.x = {{2, {2, 31}}, {2, {2, 1}}}},
    {.x = {{2, {2, 32}}, {1, {2}}}},      {.x = {{2, {2, 1025}}, {1, {2}}}},
    {.x = {{2, {1025, 2}}, {1, {1025}}}},
};

static const ag_op mul_rows = {
    .name = "mul_rows",
    .formula = "y[r,f] = x[r,f] s[r]",
    .inputs = "x s",
    .shape = mul_rows_shape,
    .forward = {&mul_rows_forward_kernel},
    .backward = {&mul_rows_backward_x_kernel, &mul_rows_backward_s_kernel},
    .saves = SAVE_X(0) | SAVE_X(1),
    .leads = 1,
    AG_CASES(mul_rows_cases),
};

const ag_op *const ag__ops_scale_rows[] = {&mul_columns, &add_bias, &mul_rows, NULL};

ag_tensor *ag_mul_columns(ag_tensor *x, ag_tensor *s)
{
    return ag__record2(&mul_columns, x, s, NULL);
}

ag_tensor *ag_add_bias(ag_tensor *x, ag_tensor *b) { return ag__record2(&add_bias, x, b, NULL); }

ag_tensor *ag_mul_rows(ag_tensor *x, ag_tensor *s) { return ag__record2(&mul_rows, x, s, NULL); }
