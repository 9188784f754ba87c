/* SPDX-License-Identifier: MIT */
/* transpose: y[j,i] = x[i,j], x [n,m] -> [m,n]. Saves nothing: dx is the transposed dy. */
#include "ops/transpose.h"
#include "ops/ops.h"
#include "ops/table.h"

static int transpose_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank != 2) return ag__reject_input(call, 0, "x must have two axes");
    call->ys[0] = AG_SHAPE(x.size[1], x.size[0]);
    return 0;
}

static const ag_case cases[] = {
    {.x = {{2, {3, 5}}}},    {.x = {{2, {1, 1}}}},    {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}},    {.x = {{2, {31, 33}}}},  {.x = {{2, {32, 64}}}},
    {.x = {{2, {1025, 2}}}}, {.x = {{2, {1, 1025}}}},
};

static const ag_op transpose = {
    .name = "transpose",
    .formula = "y[j,i] = x[i,j]",
    .inputs = "x",
    .shape = transpose_shape,
    .forward = {&transpose_forward_kernel},
    .backward = {&transpose_backward_kernel},
    AG_CASES(cases),
};

const ag_op *const ag__ops_transpose[] = {&transpose, NULL};

ag_tensor *ag_transpose(ag_tensor *x) { return ag__record1(&transpose, x, NULL); }
