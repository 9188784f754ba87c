/* SPDX-License-Identifier: MIT */
/* cross_entropy: the mean of -ln softmax(x) at the label of each row. Saves the inputs and two
   numbers a row. */
#include "ops/loss/cross_entropy.h"
#include "ops/ops.h"
#include "ops/table.h"

static int cross_entropy_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], label = call->xs[1];
    if (x.rank != 2 || x.size[1] < 1)
        return ag__reject_input(call, 0, "x must be [n, classes] with a class or more");
    if (label.rank != 1 || label.size[0] != x.size[0])
        return ag__reject_input(call, 1,
                                "label must be [%d], one for each row of x, without a second axis "
                                "(a column of a batch: width 0)",
                                x.size[0]);
    if (call->n_in > 2 && (call->xs[2].rank != 1 || call->xs[2].size[0] != x.size[1]))
        return ag__reject_input(call, 2, "weight must be [%d], one for each class", x.size[1]);
    if (!(call->attr.f[0] >= 0 && call->attr.f[0] <= 1))
        return ag__reject(call, "the smoothing is %g, but must be 0 to 1", call->attr.f[0]);
    call->ys[0] = call->ys[2] = AG_SCALAR;
    call->ys[1] = AG_SHAPE(x.size[0], 2);
    return 0;
}

static int64_t cross_entropy_scratch(const ag_args *a, int backward)
{
    return backward ? 0 : 2 * (a->xs[0].size[0] + entropy_parts(a));
}

static const int32_t some[] = {2, -1, 4, 0, 1}, none[] = {-1, -1, -1};
static const int32_t strange[] = {7, 1, -5, INT32_MAX, INT32_MIN, 4}; /* as an op may make them */
static const int32_t many[1100] = {[3] = 1, [17] = 2, [500] = -1, [1023] = 1, [1099] = 2};
static const int32_t far[] = {1024, 31};

/* With a weight for each class where `weighted` is 1. */
#define CASE(n, classes, weighted, smoothing, from, to, labels)            \
 .x = {{2, {n, classes}}, {1, {n}}, {weighted, {(weighted) * (classes)}}}, \
 .attr = {.f = {smoothing}}, .lo = from, .hi = to, .ints = {NULL, labels}

static const ag_case cases[] = {
    {CASE(3, 5, 0, 0, -1, 1, some)},       {CASE(3, 5, 1, 0, 0.1, 2, some)},
    {CASE(5, 5, 0, 0.1, -4, 4, some)},     {CASE(5, 5, 1, 0.3, 0.1, 2, some)},
    {CASE(0, 5, 1, 0.1, 0.1, 2, some)},    {CASE(1, 1, 0, 0, -1, 1, some + 3)},
    {CASE(3, 4, 1, 0.1, 0.1, 2, none)},    {CASE(6, 5, 1, 1, 0.1, 2, strange)},
    {CASE(2, 31, 0, 0, -30, 30, some)},    {CASE(2, 32, 0, 0, 500, 510, some)}, /* e^x overflows */
    {CASE(2, 33, 1, 0, 0.1, 4, some)},     {CASE(1, 1025, 1, 0.2, 0.1, 4, far)},
    {CASE(1100, 3, 1, 0.1, 0.1, 4, many)},
};

static const ag_op cross_entropy = {
    .name = "cross_entropy",
    .formula = "y = mean over r of -ln softmax(x[r])[label[r]], weighted by weight[label[r]]; "
               "smoothing f0",
    .inputs = "x label weight",
    .ints = SAVE_X(1),
    .outputs = 3,
    .shape = cross_entropy_shape,
    .forward = {&cross_entropy_rows_kernel, &cross_entropy_parts_kernel,
                &cross_entropy_total_kernel},
    .backward = {&cross_entropy_backward_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_Y(1) | SAVE_Y(2),
    .scratch = cross_entropy_scratch,
    AG_CASES(cases),
};

const ag_op *const ag__ops_cross_entropy[] = {&cross_entropy, NULL};

/* Fails the tape where a label that the caller gave is not a class. */
static void check_labels(const ag_tensor *x, const ag_tensor *label)
{
    const int32_t *class = ag__given_i32(label);
    const int classes = ag_size(x, 1);
    const int64_t r = class ? ag__first_outside(class, ag_size(x, 0), -1, classes - 1) : -1;
    if (r >= 0)
        ag_tape_fail(ag_tape_of(x), AG_EINDEX,
                     "cross_entropy: the label of row %lld is %d, but must be 0 to %d, since x has "
                     "%d classes, or -1 for a row that does not count; number the classes from 0",
                     (long long)r, class[r], classes - 1, classes);
}

ag_tensor *ag_cross_entropy(ag_tensor *x, ag_tensor *label, ag_tensor *weight, ag_real smoothing)
{
    ag_tensor *in[] = {x, label, weight};
    ag_tensor *y =
        ag__record(&cross_entropy, in, weight ? 3 : 2, &(ag_attr){.f = {(double)smoothing}});
    ag_tape *tape = ag_tape_of(y);
    if (!ag_failed(tape)) check_labels(x, label);
    return ag_failed(tape) ? ag__poison(tape) : y;
}
