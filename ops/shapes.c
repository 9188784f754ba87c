/* SPDX-License-Identifier: MIT */
/* reshape: the same values under another shape. transpose: y[j,i] = x[i,j]. concat: the inputs one
   after the other along an axis; slice: a range of an axis. block_diagonal: the rows of a matrix
   side by side along a diagonal, so that one product with the result computes a product for each
   head. They save nothing: the gradient only moves dy. */
#include "ops/shapes.h"
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

static const ag_case reshape_cases[] = {
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
    AG_CASES(reshape_cases),
};

static int transpose_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank != 2) return ag__reject_input(call, 0, "x must have two axes");
    call->ys[0] = AG_SHAPE(x.size[1], x.size[0]);
    return 0;
}

static const ag_case transpose_cases[] = {
    {.x = {{2, {3, 5}}}},    {.x = {{2, {1, 1}}}},    {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}},    {.x = {{2, {31, 33}}}},  {.x = {{2, {32, 64}}}},
    {.x = {{2, {1025, 2}}}}, {.x = {{2, {1, 1025}}}},
};

static const ag_op transpose = {
    .name = "transpose",
    .formula = "y[j,i] = x[i,j]",
    .inputs = "x",
    .shape = transpose_shape,
    .forward = {&transpose_forward_kernel},
    .backward = {&transpose_backward_kernel},
    AG_CASES(transpose_cases),
};

/* Resolves a negative axis; 1 after a rejection. */
static int resolve_axis(ag_call *call)
{
    const int rank = call->xs[0].rank, axis = call->attr.i[0];
    if (rank < 1) return ag__reject_input(call, 0, "x needs an axis");
    if (axis < -rank || axis >= rank)
        return ag__reject(call, "the axis is %d, but must be %d..%d", axis, -rank, rank - 1);
    if (axis < 0) call->attr.i[0] += rank;
    return 0;
}

static int concat_shape(ag_call *call)
{
    if (resolve_axis(call)) return 1;
    const int axis = call->attr.i[0];
    ag_shape y = call->xs[0];
    int64_t sum = y.size[axis];
    for (int k = 1; k < call->n_in; k++) {
        ag_shape x = call->xs[k];
        sum += x.rank == y.rank ? x.size[axis] : 0;
        x.size[axis] = y.size[axis];
        if (!ag_shape_equal(x, y))
            return ag__reject_input(call, k,
                                    "all sizes but that of axis %d must be equal; choose another "
                                    "axis, or cut with ag_slice",
                                    axis);
    }
    if (sum > INT_MAX)
        return ag__reject(call, "the sizes of axis %d add up to more than 2^31 - 1", axis);
    call->ys[0] = y;
    call->ys[0].size[axis] = (int)sum;
    return 0;
}

static const ag_case concat_cases[] = {
    {.x = {{2, {3, 2}}, {2, {3, 4}}}, .attr = {.i = {1}}},
    {.x = {{2, {3, 2}}, {2, {1, 2}}}, .attr = {.i = {0}}},
    {.x = {{2, {3, 2}}, {2, {3, 4}}}, .attr = {.i = {-1}}},
    {.x = {{3, {2, 1, 5}}, {3, {2, 3, 5}}, {3, {2, 2, 5}}}, .attr = {.i = {1}}},
    {.x = {{1, {5}}}, .attr = {.i = {0}}},
    {.x = {{2, {0, 2}}, {2, {3, 2}}, {2, {0, 2}}}, .attr = {.i = {0}}},
    {.x = {{2, {0, 2}}, {2, {0, 3}}}, .attr = {.i = {1}}},
    {.x = {{1, {0}}}, .attr = {.i = {0}}},
    {.x = {{1, {31}}, {1, {1025}}, {1, {4099}}}, .attr = {.i = {0}}},
    {.x = {{2, {2, 1}},
           {2, {2, 2}},
           {2, {2, 3}},
           {2, {2, 1}},
           {2, {2, 32}},
           {2, {2, 33}},
           {2, {2, 1}},
           {2, {2, 1}}},
     .attr = {.i = {1}}},
};

static const ag_op concat = {
    .name = "concat",
    .formula = "y = the inputs one after the other along axis i0",
    .inputs = "x ...",
    .shape = concat_shape,
    .forward = {&concat_forward_kernel},
    .backward = {&concat_backward_kernel},
    AG_CASES(concat_cases),
};

static int slice_shape(ag_call *call)
{
    if (resolve_axis(call)) return 1;
    const int axis = call->attr.i[0], from = call->attr.i[1], length = call->attr.i[2];
    const int size = call->xs[0].size[axis];
    if (from < 0 || length < 0 || from > size - length)
        return ag__reject_input(call, 0, "elements %d to %lld of axis %d are wanted, but it has %d",
                                from, (long long)from + length - 1, axis, size);
    call->ys[0] = call->xs[0];
    call->ys[0].size[axis] = length;
    return 0;
}

static const ag_case slice_cases[] = {
    {.x = {{2, {3, 7}}}, .attr = {.i = {1, 2, 4}}},
    {.x = {{2, {7, 3}}}, .attr = {.i = {0, 6, 1}}},
    {.x = {{2, {3, 7}}}, .attr = {.i = {-1, 0, 7}}},
    {.x = {{3, {2, 5, 33}}}, .attr = {.i = {1, 1, 3}}},
    {.x = {{2, {3, 7}}}, .attr = {.i = {1, 7, 0}}},
    {.x = {{2, {0, 7}}}, .attr = {.i = {1, 2, 4}}},
    {.x = {{1, {0}}}, .attr = {.i = {0, 0, 0}}},
    {.x = {{1, {1}}}, .attr = {.i = {0, 0, 1}}},
    {.x = {{1, {1025}}}, .attr = {.i = {0, 993, 32}}},
    {.x = {{2, {2, 10000}}}, .attr = {.i = {1, 4000, 31}}},
    {.x = {{2, {2, 10000}}}, .attr = {.i = {1, 100, 9000}}},
};

static const ag_op slice = {
    .name = "slice",
    .formula = "y = elements i1..i1+i2-1 of x along axis i0",
    .inputs = "x",
    .shape = slice_shape,
    .forward = {&slice_forward_kernel},
    .backward = {&slice_backward_kernel},
    AG_CASES(slice_cases),
};

static int block_diagonal_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank != 2) return ag__reject_input(call, 0, "x needs two axes");
    if ((int64_t)x.size[0] * x.size[1] > INT_MAX)
        return ag__reject_input(call, 0, "the result has more than 2^31 - 1 columns");
    call->ys[0] = AG_SHAPE(x.size[0], x.size[0] * x.size[1]);
    return 0;
}

static const ag_case block_diagonal_cases[] = {
    {.x = {{2, {3, 5}}}}, {.x = {{2, {1, 4}}}},  {.x = {{2, {4, 1}}}},  {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}}, {.x = {{2, {2, 33}}}}, {.x = {{2, {8, 64}}}}, {.x = {{2, {31, 2}}}},
};

static const ag_op block_diagonal = {
    .name = "block_diagonal",
    .formula = "y[h, h d + i] = x[h,i], 0 elsewhere",
    .inputs = "x",
    .shape = block_diagonal_shape,
    .forward = {&block_diagonal_forward_kernel},
    .backward = {&block_diagonal_backward_kernel},
    AG_CASES(block_diagonal_cases),
};

const ag_op *const ag__ops_shapes[] = {&reshape, &transpose,      &concat,
                                       &slice,   &block_diagonal, NULL};

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

ag_tensor *ag_transpose(ag_tensor *x) { return ag__record1(&transpose, x, NULL); }

ag_tensor *ag_concat(ag_tensor *const *x, int n, int axis)
{
    if (!x) return ag__poison(NULL);
    return ag__record(&concat, x, n, &(ag_attr){.i = {axis}});
}

ag_tensor *ag_concat2(ag_tensor *x0, ag_tensor *x1, int axis)
{
    return ag__record2(&concat, x0, x1, &(ag_attr){.i = {axis}});
}

ag_tensor *ag_slice(ag_tensor *x, int axis, int from, int length)
{
    return ag__record1(&slice, x, &(ag_attr){.i = {axis, from, length}});
}

ag_tensor *ag_block_diagonal(ag_tensor *x) { return ag__record1(&block_diagonal, x, NULL); }
