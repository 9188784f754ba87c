/* SPDX-License-Identifier: MIT */
/* gather: y[i,:] = x[index[i],:]; scatter_sum: y[index[i],:] += x[i,:]. Each is the gradient of the
   other and saves only the index. An index that names no row reads zeros and adds nothing. */
#include "ops/gather.h"
#include "ops/ops.h"
#include "ops/table.h"

/* The conditions of both on x [n, ...] and index [m]; 1 after a rejection. */
static int check_rows(ag_call *call)
{
    const ag_shape x = call->xs[0], index = call->xs[1];
    if (x.rank < 1 || index.rank != 1)
        return ag__reject_input(call, x.rank < 1 ? 0 : 1,
                                "x needs an axis and the index must have one");
    if (row_too_wide(x)) return ag__reject_input(call, 0, "a row has more than 2^31 - 1 elements");
    return 0;
}

static int gather_shape(ag_call *call)
{
    if (check_rows(call)) return 1;
    call->ys[0] = shape_of_rows(call->xs[1].size[0], call->xs[0]);
    return 0;
}

CALL(gather_invert) { make_lists(a, a->xs[0], 1, 0); }

static int64_t gather_scratch(const ag_args *a, int backward)
{
    return backward ? lists_scratch(a, a->xs[0]) : 0;
}

DEVICE(gather_all_back)
{
    launch_cut(a, in_pieces(a, a->xs[0]), &gather_backward_kernel, &gather_back_pieces_kernel,
               &gather_back_join_kernel);
}
static int64_t gather_cuda_scratch(const ag_args *a, int backward)
{
    return backward ? lists_scratch_there(a, a->xs[0]) : 0;
}
static const ag_kernels gather_cuda = {.forward = {&gather_forward_kernel},
                                       .prepare = {&gather_invert_kernel},
                                       .backward = {&gather_all_back_kernel},
                                       .scratch = gather_cuda_scratch};

static const int32_t some[] = {2, 0, 2, -1, 3, 2, 1, 4, -7, 2147483647, 0};
static const int32_t many[40] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
static const int32_t lists[400] = {[3] = 1, [127] = -1, [128] = 1, [301] = 1, [399] = 1};

static const ag_case gather_cases[] = {
    {.x = {{2, {4, 5}}, {1, {11}}}, .ints = {NULL, some}},
    {.x = {{2, {4, 1}}, {1, {1}}}, .ints = {NULL, some}},
    {.x = {{2, {0, 5}}, {1, {3}}}, .ints = {NULL, some}},
    {.x = {{2, {4, 5}}, {1, {0}}}, .ints = {NULL, some}},
    {.x = {{2, {4, 0}}, {1, {3}}}, .ints = {NULL, some}},
    {.x = {{1, {4}}, {1, {11}}}, .ints = {NULL, some}},
    {.x = {{3, {3, 2, 31}}, {1, {11}}}, .ints = {NULL, some}},
    {.x = {{2, {2, 32}}, {1, {40}}}, .ints = {NULL, many}},
    {.x = {{2, {2, 33}}, {1, {17}}}, .ints = {NULL, many}},
    {.x = {{2, {3, 1025}}, {1, {4}}}, .ints = {NULL, some}},
    {.x = {{2, {2, 33}}, {1, {400}}}, .ints = {NULL, lists}},
    {.x = {{2, {1, 2}}, {1, {257}}}, .ints = {NULL, lists}},
};

static const ag_op gather = {
    .name = "gather",
    .formula = "y[i,:] = x[index[i],:]; zeros where x has no such row",
    .inputs = "x index",
    .ints = SAVE_X(1),
    .shape = gather_shape,
    .forward = {&gather_forward_kernel},
    .prepare = {&gather_invert_kernel},
    .backward = {&gather_backward_kernel},
    .saves = SAVE_X(1),
    .scratch = gather_scratch,
    .cuda = &gather_cuda,
    .leads = 1,
    AG_CASES(gather_cases),
};

static int scatter_sum_shape(ag_call *call)
{
    if (check_rows(call)) return 1;
    if (call->xs[1].size[0] != call->xs[0].size[0])
        return ag__reject_input(call, 1, "the index needs one element per row of x");
    if (call->attr.i[0] < 0)
        return ag__reject(call, "the result cannot have %d rows", call->attr.i[0]);
    call->ys[0] = shape_of_rows(call->attr.i[0], call->xs[0]);
    return 0;
}

CALL(scatter_sum_invert) { make_lists(a, a->ys[0], 1, 0); }

static int64_t scatter_sum_scratch(const ag_args *a, int backward)
{
    return backward ? 0 : lists_scratch(a, a->ys[0]);
}

DEVICE(scatter_sum_all)
{
    launch_cut(a, in_pieces(a, a->ys[0]), &scatter_sum_forward_kernel, &scatter_sum_pieces_kernel,
               &scatter_sum_join_kernel);
}
static int64_t scatter_sum_cuda_scratch(const ag_args *a, int backward)
{
    return backward ? 0 : lists_scratch_there(a, a->ys[0]);
}
static const ag_kernels scatter_sum_cuda = {
    .forward = {&scatter_sum_invert_kernel, &scatter_sum_all_kernel},
    .backward = {&scatter_sum_backward_kernel},
    .scratch = scatter_sum_cuda_scratch};

static const ag_case scatter_sum_cases[] = {
    {.x = {{2, {11, 5}}, {1, {11}}}, .attr = {.i = {4}}, .ints = {NULL, some}},
    {.x = {{2, {1, 1}}, {1, {1}}}, .attr = {.i = {3}}, .ints = {NULL, some}},
    {.x = {{2, {0, 5}}, {1, {0}}}, .attr = {.i = {3}}, .ints = {NULL, some}},
    {.x = {{2, {3, 5}}, {1, {3}}}, .attr = {.i = {0}}, .ints = {NULL, some}},
    {.x = {{2, {3, 0}}, {1, {3}}}, .attr = {.i = {3}}, .ints = {NULL, some}},
    {.x = {{1, {11}}, {1, {11}}}, .attr = {.i = {4}}, .ints = {NULL, some}},
    {.x = {{3, {11, 2, 31}}, {1, {11}}}, .attr = {.i = {6}}, .ints = {NULL, some}},
    {.x = {{2, {40, 32}}, {1, {40}}}, .attr = {.i = {2}}, .ints = {NULL, many}},
    {.x = {{2, {17, 33}}, {1, {17}}}, .attr = {.i = {2}}, .ints = {NULL, many}},
    {.x = {{2, {3, 1025}}, {1, {3}}}, .attr = {.i = {3}}, .ints = {NULL, some}},
    {.x = {{2, {400, 33}}, {1, {400}}}, .attr = {.i = {2}}, .ints = {NULL, lists}},
};

static const ag_op scatter_sum = {
    .name = "scatter_sum",
    .formula = "y[index[i],:] += x[i,:] in order of i, from zero; y has i0 rows",
    .inputs = "x index",
    .ints = SAVE_X(1),
    .shape = scatter_sum_shape,
    .forward = {&scatter_sum_invert_kernel, &scatter_sum_forward_kernel},
    .backward = {&scatter_sum_backward_kernel},
    .saves = SAVE_X(1),
    .scratch = scatter_sum_scratch,
    .cuda = &scatter_sum_cuda,
    AG_CASES(scatter_sum_cases),
};

const ag_op *const ag__ops_gather[] = {&gather, &scatter_sum, NULL};

ag_tensor *ag_gather(ag_tensor *x, ag_tensor *index)
{
    return ag__check_index(ag__record2(&gather, x, index, NULL), 1, x, "x");
}

ag_tensor *ag_scatter_sum(ag_tensor *x, ag_tensor *index, int n)
{
    ag_tensor *y = ag__record2(&scatter_sum, x, index, &(ag_attr){.i = {n}});
    return ag__check_index(y, 1, y, "the result");
}
