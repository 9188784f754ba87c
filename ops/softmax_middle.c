/* SPDX-License-Identifier: MIT */
/* softmax_middle, log_softmax_middle: over the middle axis; cross_attention: y = x softmax(x / t)
   over it. cross_attention saves x, which the product before it saves anyway, and two numbers per
   column; the softmax is computed again in backward, which costs less than reading it. */
#include "ops/softmax_middle.h"
#include "ops/ops.h"
#include "ops/table.h"

/* ---- on a device: tiles, or strips where the middle axis is too long for a tile ---- */

static void choose(const ag_args *a, int times, const ag_kernel *tile, const ag_kernel *strip)
{
    (ag__tile_fits(middle_tile(a, times)) ? tile : strip)->cuda(a);
}

DEVICE(softmax_middle_all)
{
    choose(a, 1, &softmax_middle_tile_kernel, &softmax_middle_forward_kernel);
}
DEVICE(softmax_middle_all_back)
{
    choose(a, 2, &softmax_middle_tile_back_kernel, &softmax_middle_backward_kernel);
}
DEVICE(log_softmax_middle_all_back)
{
    choose(a, 1, &log_softmax_middle_tile_back_kernel, &log_softmax_middle_backward_kernel);
}
DEVICE(cross_attention_all)
{
    choose(a, 1, &cross_attention_tile_kernel, &cross_attention_forward_kernel);
}
DEVICE(cross_attention_all_back_x)
{
    choose(a, 2, &cross_attention_tile_back_kernel, &cross_attention_backward_x_kernel);
}
DEVICE(cross_attention_all_back_t)
{
    if (!cross_held(a)) cross_attention_slopes_kernel.cuda(a);
    cross_attention_total_kernel.cuda(a);
}

static int64_t cross_cuda_scratch(const ag_args *a, int backward)
{
    return backward ? cross_scratch(a) : 0;
}

static const ag_kernels softmax_cuda = {.forward = {&softmax_middle_all_kernel},
                                        .backward = {&softmax_middle_all_back_kernel}};
static const ag_kernels log_softmax_cuda = {.forward = {&softmax_middle_all_kernel},
                                            .backward = {&log_softmax_middle_all_back_kernel}};
static const ag_kernels cross_cuda = {
    .forward = {&cross_attention_all_kernel},
    .backward = {&cross_attention_all_back_x_kernel, &cross_attention_all_back_t_kernel},
    .scratch = cross_cuda_scratch,
};

static int softmax_middle_shape(ag_call *call)
{
    if (call->xs[0].rank != 3) return ag__reject_input(call, 0, "x must have three axes");
    return ag__same_shape(call);
}

static const ag_case softmax_cases[] = {
    {.x = {{3, {2, 5, 3}}}, .lo = -3, .hi = 3},
    {.x = {{3, {3, 1, 33}}}},
    {.x = {{3, {2, 4, 65}}}},
    {.x = {{3, {0, 4, 3}}}},
    {.x = {{3, {2, 0, 3}}}},
    {.x = {{3, {2, 4, 0}}}},
    {.x = {{3, {1, 33, 64}}}},
    {.x = {{3, {1, 40, 1}}}, .lo = -80, .hi = 80},
    {.x = {{3, {1, 380, 3}}}}, /* the longest of which a tile holds two, and a row more */
    {.x = {{3, {2, 381, 3}}}},
    {.x = {{3, {1, 760, 33}}}}, /* ... one */
    {.x = {{3, {1, 761, 3}}}},
};
static const ag_case log_softmax_cases[] = {
    {.x = {{3, {2, 5, 3}}}, .attr = {.i = {1}}, .lo = -3, .hi = 3},
    {.x = {{3, {3, 1, 33}}}, .attr = {.i = {1}}},
    {.x = {{3, {2, 4, 65}}}, .attr = {.i = {1}}},
    {.x = {{3, {2, 0, 3}}}, .attr = {.i = {1}}},
    {.x = {{3, {1, 760, 3}}}, .attr = {.i = {1}}},
    {.x = {{3, {1, 761, 3}}}, .attr = {.i = {1}}},
};

static const ag_op softmax_middle = {
    .name = "softmax_middle",
    .formula = "y = softmax(x) over the middle axis of [a,b,c]",
    .inputs = "x",
    .shape = softmax_middle_shape,
    .forward = {&softmax_middle_forward_kernel},
    .backward = {&softmax_middle_backward_kernel},
    .saves = SAVE_Y(0),
    .cuda = &softmax_cuda,
    .cases = softmax_cases,
    .n_cases = sizeof softmax_cases / sizeof *softmax_cases,
};

static const ag_op log_softmax_middle = {
    .name = "log_softmax_middle",
    .formula = "y = ln softmax(x) over the middle axis of [a,b,c]",
    .inputs = "x",
    .shape = softmax_middle_shape,
    .forward = {&softmax_middle_forward_kernel},
    .backward = {&log_softmax_middle_backward_kernel},
    .saves = SAVE_Y(0),
    .cuda = &log_softmax_cuda,
    .cases = log_softmax_cases,
    .n_cases = sizeof log_softmax_cases / sizeof *log_softmax_cases,
};

static int cross_attention_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], t = call->xs[1];
    if (x.rank != 3)
        return ag__reject_input(call, 0, "x must be [nodes, configurations, features]");
    if (ag_shape_count(t) != 1) return ag__reject_input(call, 1, "t must have one element");
    if (call->attr.i[0] && x.size[2] > INT_MAX / 2)
        return ag__reject_input(call, 0, "too many features");
    call->ys[0] = x;
    if (call->attr.i[0]) call->ys[0].size[2] *= 2;
    call->ys[1] = AG_SHAPE(x.size[0], 2, x.size[2]);
    return 0;
}

static int64_t cross_attention_scratch(const ag_args *a, int backward)
{
    return backward ? (int64_t)a->xs[0].size[0] * a->xs[0].size[2] : 0;
}

#define CROSS_CASES(BESIDE)                                                              \
 {                                                                                       \
  {.x = {{3, {2, 5, 3}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.3, .hi = 2},        \
      {.x = {{3, {3, 1, 33}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.3, .hi = 1},   \
      {.x = {{3, {2, 4, 257}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.4, .hi = 1},  \
      {.x = {{3, {0, 4, 3}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.3, .hi = 1},    \
      {.x = {{3, {2, 0, 3}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.3, .hi = 1},    \
      {.x = {{3, {1, 33, 64}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.3, .hi = 1},  \
      {.x = {{3, {2, 380, 3}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.3, .hi = 1},  \
      {.x = {{3, {2, 381, 3}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.3, .hi = 1},  \
      {.x = {{3, {1, 761, 33}}, {1, {1}}}, .attr = {.i = {BESIDE}}, .lo = 0.3, .hi = 1}, \
 }
static const ag_case cross_cases[] = CROSS_CASES(0);
static const ag_case beside_cases[] = CROSS_CASES(1);

#define CROSS_OP(NAME, FORMULA, CASE_LIST, REPLACES)                                               \
 {                                                                                                 \
  .name = NAME, .formula = FORMULA, .inputs = "x t", .outputs = 2, .shape = cross_attention_shape, \
  .forward = {&cross_attention_forward_kernel}, .leads = 2, .first_serves_all = 1,                 \
  .backward = {&cross_attention_backward_x_kernel, &cross_attention_backward_t_kernel},            \
  .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(1), .scratch = cross_attention_scratch,                  \
  .cuda = &cross_cuda, .cases = CASE_LIST, .n_cases = sizeof CASE_LIST / sizeof *CASE_LIST,        \
  .replaces = REPLACES                                                                             \
 }
static const ag_op cross_attention =
    CROSS_OP("cross_attention", "y = x softmax(x / t) over the middle axis of [a,b,c]", cross_cases,
             "mul(x, softmax_middle(x / t))");
static const ag_op cross_attention_beside =
    CROSS_OP("cross_attention_beside", "y = [x, x softmax(x / t)] over the middle axis of [a,b,c]",
             beside_cases, "concat2(x, cross_attention(x, t), -1)");

const ag_op *const ag__ops_softmax_middle[] = {&softmax_middle, &log_softmax_middle,
                                               &cross_attention, &cross_attention_beside, NULL};

ag_tensor *ag_softmax_middle(ag_tensor *x) { return ag__record1(&softmax_middle, x, NULL); }

ag_tensor *ag_log_softmax_middle(ag_tensor *x)
{
    return ag__record1(&log_softmax_middle, x, &(ag_attr){.i = {1}});
}

ag_tensor *ag_cross_attention(ag_tensor *x, ag_tensor *t)
{
    return ag__record2(&cross_attention, x, t, NULL);
}

ag_tensor *ag_cross_attention_beside(ag_tensor *x, ag_tensor *t)
{
    return ag__record2(&cross_attention_beside, x, t, &(ag_attr){.i = {1}});
}
