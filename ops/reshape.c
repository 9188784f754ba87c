/* SPDX-License-Identifier: MIT */
/* reshape: the same values under another shape of the same count. A view: nothing is copied. */
#include "ops/reshape.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

static int reshape_shape(ag_call *call)
{
    char text[64];
    ag_shape s = {call->attr.i[0], {1, 1, 1, 1}};
    for (int i = 0; i < s.rank && i < AG_MAX_AXES; i++) s.size[i] = (int)call->attr.f[i];
    const int64_t have = ag_shape_count(call->xs[0]), wanted = ag_shape_count(s);
    if (wanted < 0)
        return ag__reject_input(call, 0,
                                "%s is not a shape; write out all sizes, of which none is "
                                "inferred, for %lld elements",
                                ag_shape_text(text, s), (long long)have);
    if (have != wanted)
        return ag__reject_input(call, 0, "%s has %lld elements, not %lld", ag_shape_text(text, s),
                                (long long)wanted, (long long)have);
    call->ys[0] = s;
    return 0;
}

static const ag_case cases[] = {
    {.x = {{2, {3, 4}}}, .attr = {.f = {2, 6}, .i = {2}}},
    {.x = {{2, {0, 4}}}, .attr = {.f = {0}, .i = {1}}},
    {.x = {{1, {1}}}, .attr = {.i = {0}}},
};

static const ag_op reshape = {
    .name = "reshape",
    .formula = "y = x under another shape of the same count (a view)",
    .inputs = "x",
    .shape = reshape_shape,
    .view = 1,
    AG_CASES(cases),
};

const ag_op *const ag__ops_reshape[] = {&reshape, NULL};

ag_tensor *ag_reshape(ag_tensor *x, ag_shape shape)
{
    ag_attr attr = {.i = {shape.rank}};
    for (int i = 0; i < shape.rank && i < AG_MAX_AXES; i++) attr.f[i] = shape.size[i];
    return ag__record1(&reshape, x, &attr);
}

ag_tensor *ag_squeeze(ag_tensor *x)
{
    char text[64];
    ag_shape s = ag_shape_of(x);
    if (s.rank < 1 || s.size[s.rank - 1] != 1)
        ag_tape_fail(ag_tape_of(x), AG_ESHAPE,
                     "ag_squeeze: x is %s, but the last axis must have the size 1; choose columns "
                     "with ag_slice, or shapes with ag_reshape",
                     ag_shape_text(text, s));
    else
        s.size[--s.rank] = 1;
    return ag_reshape(x, s);
}
