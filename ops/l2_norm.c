/* SPDX-License-Identifier: MIT */
/* l2_norm: y = x / max(|x|, epsilon) over the last axis. Saves y and the lengths. */
#include "ops/l2_norm.h"
#include "ops/ops.h"
#include "ops/table.h"

static int l2_norm_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank < 1) return ag__reject_input(call, 0, "x needs an axis");
    if (!(call->attr.f[0] > 0))
        return ag__reject(call, "epsilon is %g, but must be above 0", call->attr.f[0]);
    call->ys[0] = call->ys[1] = x;
    call->ys[1].size[--call->ys[1].rank] = 1;
    return 0;
}

static const ag_case cases[] = {
    {.x = {{2, {3, 5}}}, .attr = {.f = {1e-12}}},
    {.x = {{2, {3, 5}}}, .attr = {.f = {7}}}, /* epsilon is longer than all rows */
    {.x = {{2, {0, 5}}}, .attr = {.f = {1e-12}}},
    {.x = {{2, {3, 0}}}, .attr = {.f = {1e-12}}},
    {.x = {{1, {1}}}, .attr = {.f = {1e-12}}},
    {.x = {{3, {2, 3, 31}}}, .attr = {.f = {1e-12}}},
    {.x = {{2, {2, 32}}}, .attr = {.f = {1e-12}}},
    {.x = {{2, {2, 33}}}, .attr = {.f = {1e-12}}},
    {.x = {{2, {2, 1025}}}, .attr = {.f = {1e-12}}},
};

static const ag_op l2_norm = {
    .name = "l2_norm",
    .formula = "y = x / max(|x|, f0), row by row",
    .inputs = "x",
    .outputs = 2,
    .shape = l2_norm_shape,
    .forward = {&l2_norm_forward_kernel},
    .backward = {&l2_norm_backward_kernel},
    .saves = SAVE_Y(0) | SAVE_Y(1),
    .leads = 1,
    .has_kinks = 1,
    AG_CASES(cases),
};

const ag_op *const ag__ops_l2_norm[] = {&l2_norm, NULL};

ag_tensor *ag_l2_norm(ag_tensor *x, ag_real epsilon)
{
    return ag__record1(&l2_norm, x, &(ag_attr){.f = {(double)epsilon}});
}
