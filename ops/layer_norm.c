/* SPDX-License-Identifier: MIT */
/* layer_norm: y = (x - mean) / sqrt(variance + epsilon) gamma + beta over the last axis. Saves x,
   gamma and two statistics per row. Source: Ba et al. 2016. */
#include "ops/layer_norm.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

static int layer_norm_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], parameter = AG_SHAPE(ag__columns(x));
    if (x.rank < 1) return ag__reject_input(call, 0, "x needs an axis");
    if (!ag_shape_equal(call->xs[1], parameter) ||
        (call->n_in > 2 && !ag_shape_equal(call->xs[2], parameter)))
        return ag__reject_input(call, ag_shape_equal(call->xs[1], parameter) ? 2 : 1,
                                "gamma and beta need one element per column of x");
    if (!(call->attr.f[0] >= 0))
        return ag__reject(call, "epsilon is %g, but must be 0 or more", call->attr.f[0]);
    call->ys[0] = call->ys[1] = call->ys[2] = x;
    for (int j = 1; j < 3; j++) call->ys[j].size[--call->ys[j].rank] = 1;
    return 0;
}

static int64_t layer_norm_scratch(const ag_args *a, int backward)
{
    return backward ? norm_pieces(a) * 2 * ag__columns(a->xs[0]) : 0;
}

#define SIZES(f) \
 {1, {f}},       \
 {               \
  1, { f }       \
 }
static const ag_case cases[] = {
    {.x = {{2, {3, 5}}, SIZES(5)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {0, 5}}, SIZES(5)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {3, 0}}, SIZES(0)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {3, 1}}, SIZES(1)}, .attr = {.f = {0.1}}},
    {.x = {{1, {7}}, SIZES(7)}, .attr = {.f = {0.5}}},
    {.x = {{3, {2, 3, 31}}, SIZES(31)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {2, 32}}, SIZES(32)}, .attr = {.f = {0}}},
    {.x = {{2, {2, 33}}, SIZES(33)}, .attr = {.f = {1e-5}}, .lo = 9, .hi = 11},
    {.x = {{2, {2, 1025}}, SIZES(1025)}, .attr = {.f = {1e-5}}},
    {.x = {{2, {1100, 3}}, SIZES(3)}, .attr = {.f = {1e-2}}},
    {.x = {{2, {3, 33}}, {1, {33}}}, .attr = {.f = {1e-5}}},
    {.x = {{2, {0, 5}}, {1, {5}}}, .attr = {.f = {1e-5}}},
};

static const ag_op layer_norm = {
    .name = "layer_norm",
    .formula = "y = (x - mean) / sqrt(variance + f0) gamma + beta, row by row",
    .inputs = "x gamma beta",
    .outputs = 3,
    .shape = layer_norm_shape,
    .forward = {&layer_norm_forward_kernel},
    .prepare = {&layer_norm_sums_kernel},
    .backward = {&layer_norm_backward_x_kernel, &layer_norm_backward_affine_kernel,
                 &layer_norm_backward_affine_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(1) | SAVE_Y(2),
    .scratch = layer_norm_scratch,
    .leads = 1,
    AG_CASES(cases),
};

const ag_op *const ag__ops_layer_norm[] = {&layer_norm, NULL};

ag_tensor *ag_layer_norm(ag_tensor *x, ag_tensor *gamma, ag_tensor *beta, ag_real epsilon)
{
    ag_tensor *in[] = {x, gamma, beta};
    return ag__record(&layer_norm, in, beta ? 3 : 2, &(ag_attr){.f = {(double)epsilon}});
}
