/* SPDX-License-Identifier: MIT */
/* sum and mean of all elements. */
#include "ops/reduce.h"
#include "ops/ops.h"
#include "ops/table.h"

static int scalar_shape(ag_call *call)
{
    call->ys[0] = AG_SCALAR;
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
    .cases = sum_all_cases,
    .n_cases = 8,
};

const ag_op *const ag__ops_reduce[] = {&sum_all, NULL};

ag_tensor *ag_sum_all(ag_tensor *x) { return ag__record1(&sum_all, x, NULL); }

ag_tensor *ag_mean_all(ag_tensor *x) { return ag__record1(&sum_all, x, &(ag_attr){.i = {1}}); }
