/* SPDX-License-Identifier: MIT */
/* dropout: y = x / (1 - p) with probability 1 - p, else 0; p in steps of 2^-16. Nothing is saved:
 * backward draws the same words again. */
#include "ops/dropout.h"
#include "ops/ops.h"
#include "ops/table.h"

static int dropout_shape(ag_call *call)
{
    if (!(call->attr.f[0] >= 0 && call->attr.f[0] < 1))
        return ag__reject(call, "p is %g, but must be at least 0 and below 1", call->attr.f[0]);
    if (call->attr.f[0] > 1 - 1.0 / 65536)
        return ag__reject(call, "p is %g, but must be at most 1 - 2^-16", call->attr.f[0]);
    return ag__same_shape(call);
}

static const ag_case cases[] = {
    {.x = {{1, {1025}}}, .attr = {.f = {0.2}}},
    {.x = {{2, {3, 21}}}, .attr = {.f = {0.5}}},
    {.x = {{1, {0}}}, .attr = {.f = {0.5}}},
};

static const ag_op dropout = {
    .name = "dropout",
    .formula = "y = x / (1 - p) with probability 1 - p, else 0",
    .inputs = "x",
    .shape = dropout_shape,
    .forward = {&dropout_forward_kernel},
    .backward = {&dropout_backward_kernel},
    .elementwise = 1,
    .random = 1,
    .kink = (double)NAN,
    AG_CASES(cases),
};

const ag_op *const ag__ops_dropout[] = {&dropout, NULL};

ag_tensor *ag_dropout(ag_tensor *x, ag_real p)
{
    if (!x) return ag__poison(NULL);
    if (!ag_is_training(ag_tape_of(x)) || p == 0) return x;
    return ag__record1(&dropout, x, &(ag_attr){.f = {(double)p}});
}
