/* SPDX-License-Identifier: MIT */
/* gather: y[i,:] = x[index[i],:]; scatter_sum: y[index[i],:] += x[i,:]; embedding_bag: y[i,:] = sum
   over k of table[k * stride + index[i,k],:]. All save only the index. One that names no row (the
   usual padding is -1) reads zeros and adds nothing. */
#include "ops/gather.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

/* ---- sums into rows of the shape `to` ---- */

/* Element i of the index [m], or i,j of [m,k], names destination index[i,j] + j * stride. */
static void make_lists(const ag_args *a, ag_shape to, int stride)
{
    const int n = to.size[0], k = row_width(a->xs[1]);
    int32_t *starts = list_starts(a);
    ag__invert(a->device, starts, starts + n + 1, XI(1), a->xs[1].size[0], k, n, stride,
               after_lists(a, n));
}

static int in_pieces(const ag_args *a, ag_shape to)
{
    return cut_pays(list_cut(a, to.size[0]), row_elements(to));
}

static int64_t lists_scratch(const ag_args *a, ag_shape to)
{
    const int64_t made = ag__invert_scratch(a->device, ag__elements(a->xs[1]));
    const int64_t sums = a->device == AG_CUDA && in_pieces(a, to)
                             ? cut_slots(list_cut(a, to.size[0])) * row_elements(to)
                             : 0;
    return lists_size(a, to.size[0]) + (made > sums ? made : sums);
}

/* ---- gather, and embedding_bag, which has the same gradient ---- */

/* The conditions of gather and scatter_sum on x [n, ...] and index [m]; 1 after a rejection. */
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

static int bag_shape(ag_call *call)
{
    const ag_shape table = call->xs[0], index = call->xs[1];
    if (table.rank != 2 || index.rank != 2)
        return ag__reject_input(call, table.rank != 2 ? 0 : 1,
                                "the table and the index must have two axes");
    if (ag_shape_count(index) > INT_MAX)
        return ag__reject_input(call, 1, "the index has more than 2^31 - 1 elements");
    if (call->attr.i[0] < 0)
        return ag__reject(call, "the stride is %d, but must be 0 or more", call->attr.i[0]);
    call->ys[0] = AG_SHAPE(index.size[0], table.size[1]);
    return 0;
}

CALL(gather_invert) { make_lists(a, a->xs[0], a->attr.i[0]); }

static int64_t gather_scratch(const ag_args *a, int backward)
{
    return backward ? lists_scratch(a, a->xs[0]) : 0;
}

DEVICE(gather_all_back)
{
    launch_cut(a, in_pieces(a, a->xs[0]), &gather_backward_kernel, &gather_back_pieces_kernel,
               &gather_back_join_kernel);
}
static const ag_kernels gather_cuda = {.forward = {&gather_forward_kernel},
                                       .prepare = {&gather_invert_kernel},
                                       .backward = {&gather_all_back_kernel},
                                       .scratch = gather_scratch};
static const ag_kernels bag_cuda = {.forward = {&embedding_bag_forward_kernel},
                                    .prepare = {&gather_invert_kernel},
                                    .backward = {&gather_all_back_kernel},
                                    .scratch = gather_scratch};

static const int32_t some[] = {2, 0, 2, -1, 3, 2, 1, 4, -7, 2147483647, 0, 3};
static const int32_t many[40] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
static const int32_t ones[66] = {[0] = 1,  [1] = 1,  [5] = 1,  [8] = 1,  [13] = 1, [21] = 1,
                                 [33] = 1, [34] = 1, [40] = 1, [55] = 1, [64] = 1, [65] = 1};
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

static const ag_case bag_cases[] = {
    {.x = {{2, {4, 5}}, {2, {4, 3}}}, .ints = {NULL, some}},
    {.x = {{2, {4, 5}}, {2, {12, 1}}}, .ints = {NULL, some}},
    {.x = {{2, {3, 1}}, {2, {1, 1}}}, .ints = {NULL, some}},
    {.x = {{2, {0, 5}}, {2, {4, 3}}}, .ints = {NULL, some}},
    {.x = {{2, {4, 5}}, {2, {0, 3}}}, .ints = {NULL, some}},
    {.x = {{2, {4, 5}}, {2, {3, 0}}}, .ints = {NULL, some}},
    {.x = {{2, {4, 0}}, {2, {4, 3}}}, .ints = {NULL, some}},
    {.x = {{2, {5, 31}}, {2, {2, 6}}}, .ints = {NULL, some}},
    {.x = {{2, {2, 32}}, {2, {33, 2}}}, .ints = {NULL, ones}},
    {.x = {{2, {2, 33}}, {2, {2, 33}}}, .ints = {NULL, ones}},
    {.x = {{2, {7, 5}}, {2, {4, 3}}}, .attr = {.i = {2}}, .ints = {NULL, some}},
    {.x = {{2, {40, 33}}, {2, {3, 22}}}, .attr = {.i = {2}}, .ints = {NULL, ones}},
    {.x = {{2, {4, 1025}}, {2, {2, 6}}}, .ints = {NULL, some}},
    {.x = {{2, {2, 33}}, {2, {200, 2}}}, .ints = {NULL, lists}},
};

static const ag_op embedding_bag = {
    .name = "embedding_bag",
    .formula = "y[i,:] = sum over k of table[k i0 + index[i,k],:]",
    .inputs = "table index",
    .ints = SAVE_X(1),
    .shape = bag_shape,
    .forward = {&embedding_bag_forward_kernel},
    .prepare = {&gather_invert_kernel},
    .backward = {&gather_backward_kernel},
    .saves = SAVE_X(1),
    .scratch = gather_scratch,
    .cuda = &bag_cuda,
    AG_CASES(bag_cases),
};

/* ---- scatter_sum ---- */

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

CALL(scatter_sum_invert) { make_lists(a, a->ys[0], 0); }

static int64_t scatter_sum_scratch(const ag_args *a, int backward)
{
    return backward ? 0 : lists_scratch(a, a->ys[0]);
}

DEVICE(scatter_sum_all)
{
    launch_cut(a, in_pieces(a, a->ys[0]), &scatter_sum_forward_kernel, &scatter_sum_pieces_kernel,
               &scatter_sum_join_kernel);
}
static const ag_kernels scatter_sum_cuda = {
    .forward = {&scatter_sum_invert_kernel, &scatter_sum_all_kernel},
    .backward = {&scatter_sum_backward_kernel},
    .scratch = scatter_sum_scratch};

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

const ag_op *const ag__ops_gather[] = {&gather, &scatter_sum, &embedding_bag, NULL};

ag_tensor *ag_gather(ag_tensor *x, ag_tensor *index)
{
    return ag__check_index(ag__record2(&gather, x, index, NULL), 1, x, "x");
}

ag_tensor *ag_scatter_sum(ag_tensor *x, ag_tensor *index, int n)
{
    ag_tensor *y = ag__record2(&scatter_sum, x, index, &(ag_attr){.i = {n}});
    return ag__check_index(y, 1, y, "the result");
}

ag_tensor *ag_embedding_bag(ag_tensor *table, ag_tensor *index, int stride)
{
    return ag__record2(&embedding_bag, table, index, &(ag_attr){.i = {stride}});
}
