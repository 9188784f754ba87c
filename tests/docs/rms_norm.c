/* SPDX-License-Identifier: MIT */
/* rms_norm: y = x / sqrt(mean of x^2 + epsilon) over the last axis. Saves y and one number a row.
 */
#include "ops/rms_norm.h"
#include "ops/ops.h"
#include "ops/table.h"

static int rms_norm_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank < 1) return ag__reject(call, "x needs an axis");
    if (!(call->attr.f[0] > 0))
        return ag__reject(call, "epsilon is %g, but must be above 0", call->attr.f[0]);
    call->ys[0] = call->ys[1] = x;
    call->ys[1].size[--call->ys[1].rank] = 1;
    return 0;
}

static const ag_case cases[] = {
    {.x = {{2, {3, 5}}}, .attr = {.f = {1e-6}}},
    {.x = {{2, {3, 5}}}, .attr = {.f = {7}}}, /* epsilon outweighs the rows */
    {.x = {{2, {0, 5}}}, .attr = {.f = {1e-6}}},
    {.x = {{2, {3, 0}}}, .attr = {.f = {1e-6}}},
    {.x = {{1, {1}}}, .attr = {.f = {1e-6}}},
    {.x = {{3, {2, 3, 31}}}, .attr = {.f = {1e-6}}},
    {.x = {{2, {2, 32}}}, .attr = {.f = {1e-6}}},
    {.x = {{2, {2, 1025}}}, .attr = {.f = {1e-6}}},
};

static const ag_op rms_norm = {
    .name = "rms_norm",
    .formula = "y = x / sqrt(mean of x^2 + f0), row by row",
    .inputs = "x",
    .outputs = 2,
    .shape = rms_norm_shape,
    .forward = {&rms_norm_forward_kernel},
    .backward = {&rms_norm_backward_kernel},
    .saves = SAVE_Y(0) | SAVE_Y(1),
    .leads = 1,
    .cases = cases,
    .n_cases = sizeof cases / sizeof *cases,
};

const ag_op *const ag__ops_rms_norm[] = {&rms_norm, NULL};

ag_tensor *ag_rms_norm(ag_tensor *x, ag_real epsilon)
{
    return ag__record1(&rms_norm, x, &(ag_attr){.f = {(double)epsilon}});
}
