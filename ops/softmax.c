/* SPDX-License-Identifier: MIT */
/* softmax: y = e^x / sum e^x; log_softmax: y = x - ln sum e^x; over the last axis. Both save y. */
#include "ops/softmax.h"
#include "ops/ops.h"
#include "ops/table.h"

static int last_axis_shape(ag_call *call)
{
    if (call->xs[0].rank < 1) return ag__reject_input(call, 0, "x needs an axis");
    call->ys[0] = call->xs[0];
    return 0;
}

static const ag_case cases[] = {
    {.x = {{2, {3, 5}}}},
    {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}},
    {.x = {{1, {1}}}},
    {.x = {{3, {2, 3, 31}}}, .lo = -4, .hi = 4},
    {.x = {{2, {2, 32}}}, .lo = -30, .hi = 30},
    {.x = {{2, {2, 33}}}, .lo = 500, .hi = 510}, /* e^x overflows */
    {.x = {{2, {2, 1025}}}},
};

static const ag_op softmax = {
    .name = "softmax",
    .formula = "y[r,f] = e^x[r,f] / sum over f of e^x[r,f]",
    .inputs = "x",
    .shape = last_axis_shape,
    .forward = {&softmax_forward_kernel},
    .backward = {&softmax_backward_kernel},
    .saves = SAVE_Y(0),
    .leads = 1,
    AG_CASES(cases),
};

static const ag_op log_softmax = {
    .name = "log_softmax",
    .formula = "y[r,f] = x[r,f] - ln sum over f of e^x[r,f]",
    .inputs = "x",
    .shape = last_axis_shape,
    .forward = {&log_softmax_forward_kernel},
    .backward = {&log_softmax_backward_kernel},
    .saves = SAVE_Y(0),
    .leads = 1,
    AG_CASES(cases),
};

const ag_op *const ag__ops_softmax[] = {&softmax, &log_softmax, NULL};

ag_tensor *ag_softmax(ag_tensor *x) { return ag__record1(&softmax, x, NULL); }

ag_tensor *ag_log_softmax(ag_tensor *x) { return ag__record1(&log_softmax, x, NULL); }
