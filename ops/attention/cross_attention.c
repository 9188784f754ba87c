/* SPDX-License-Identifier: MIT */
/* cross_attention: y = x softmax(x / t) over the middle axis. It saves x, which the product before
   it saves anyway, and two numbers per column; the softmax is computed again in backward, which
   costs less than reading it. */
#include "ops/attention/cross_attention.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

/* On a device the slopes of t are added up by nodes, then by one block. */
static int64_t cuda_scratch(const ag_args *a, int backward)
{
    return backward ? (int64_t)a->xs[0].size[0] * (a->xs[0].size[2] + 1) : 0;
}

DEVICE(cross_attention_all_back_t)
{
    cross_attention_slopes_kernel.cuda(a);
    cross_attention_total_kernel.cuda(a);
}

static const ag_kernels cuda = {
    .forward = {&cross_attention_forward_kernel},
    .backward = {&cross_attention_backward_x_kernel, &cross_attention_all_back_t_kernel},
    .scratch = cuda_scratch,
};

static int cross_attention_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], t = call->xs[1];
    if (x.rank != 3)
        return ag__reject_input(call, 0, "x must be [nodes, configurations, features]");
    if (ag_shape_count(t) != 1) return ag__reject_input(call, 1, "t must have one element");
    call->ys[0] = x;
    call->ys[1] = AG_SHAPE(x.size[0], 2, x.size[2]);
    return 0;
}

static int64_t cross_attention_scratch(const ag_args *a, int backward)
{
    return backward ? (int64_t)a->xs[0].size[0] * a->xs[0].size[2] : 0;
}

static const ag_case cases[] = {
    {.x = {{3, {2, 5, 3}}, {1, {1}}}, .lo = 0.3, .hi = 2},
    {.x = {{3, {3, 1, 33}}, {1, {1}}}, .lo = 0.3, .hi = 1},
    {.x = {{3, {2, 4, 257}}, {1, {1}}}, .lo = 0.4, .hi = 1},
    {.x = {{3, {0, 4, 3}}, {1, {1}}}, .lo = 0.3, .hi = 1},
    {.x = {{3, {2, 0, 3}}, {1, {1}}}, .lo = 0.3, .hi = 1},
    {.x = {{3, {1, 33, 64}}, {1, {1}}}, .lo = 0.3, .hi = 1},
};

static const ag_op cross_attention = {
    .name = "cross_attention",
    .formula = "y = x softmax(x / t) over the middle axis of [a,b,c]",
    .inputs = "x t",
    .outputs = 2,
    .shape = cross_attention_shape,
    .forward = {&cross_attention_forward_kernel},
    .backward = {&cross_attention_backward_x_kernel, &cross_attention_backward_t_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(1),
    .leads = 2,
    .first_serves_all = 1,
    .scratch = cross_attention_scratch,
    .cuda = &cuda,
    AG_CASES(cases),
};

const ag_op *const ag__ops_cross_attention[] = {&cross_attention, NULL};

ag_tensor *ag_cross_attention(ag_tensor *x, ag_tensor *t)
{
    return ag__record2(&cross_attention, x, t, NULL);
}
