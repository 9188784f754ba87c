/* SPDX-License-Identifier: MIT */
/* block_diagonal: the rows of a matrix side by side along a diagonal, so that one product with the
   result computes a product for each head. Saves nothing. */
#include "ops/block_diagonal.h"
#include "ops/ops.h"
#include "ops/table.h"

static int block_diagonal_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank != 2) return ag__reject_input(call, 0, "x needs two axes");
    if ((int64_t)x.size[0] * x.size[1] > INT_MAX)
        return ag__reject_input(call, 0, "the result has more than 2^31 - 1 columns");
    call->ys[0] = AG_SHAPE(x.size[0], x.size[0] * x.size[1]);
    return 0;
}

static const ag_case cases[] = {
    {.x = {{2, {3, 5}}}}, {.x = {{2, {1, 4}}}},  {.x = {{2, {4, 1}}}},  {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}}, {.x = {{2, {2, 33}}}}, {.x = {{2, {8, 64}}}}, {.x = {{2, {31, 2}}}},
};

static const ag_op block_diagonal = {
    .name = "block_diagonal",
    .formula = "y[h, h d + i] = x[h,i], 0 elsewhere",
    .inputs = "x",
    .shape = block_diagonal_shape,
    .forward = {&block_diagonal_forward_kernel},
    .backward = {&block_diagonal_backward_kernel},
    AG_CASES(cases),
};

const ag_op *const ag__ops_block_diagonal[] = {&block_diagonal, NULL};

ag_tensor *ag_block_diagonal(ag_tensor *x) { return ag__record1(&block_diagonal, x, NULL); }
