/* SPDX-License-Identifier: MIT */
/* embedding_bag: y[i,:] = sum over k of table[k * stride + index[i,k],:]. Saves the index. An index
   that names no row of the table (the usual padding is -1) adds nothing. */
#include "ops/embedding_bag.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

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

CALL(embedding_bag_invert) { make_lists(a, a->xs[0], a->xs[1].size[1], a->attr.i[0]); }

static int64_t scratch(const ag_args *a, int backward)
{
    return backward ? lists_scratch(a, a->xs[0]) : 0;
}

DEVICE(embedding_bag_all_back)
{
    launch_cut(a, in_pieces(a, a->xs[0]), &embedding_bag_backward_kernel,
               &embedding_bag_back_pieces_kernel, &embedding_bag_back_join_kernel);
}
static int64_t cuda_scratch(const ag_args *a, int backward)
{
    return backward ? lists_scratch_there(a, a->xs[0]) : 0;
}
static const ag_kernels cuda = {.forward = {&embedding_bag_forward_kernel},
                                .prepare = {&embedding_bag_invert_kernel},
                                .backward = {&embedding_bag_all_back_kernel},
                                .scratch = cuda_scratch};

static const int32_t some[] = {2, 0, 2, -1, 3, 2, 1, 4, -7, 2147483647, 0, 3};
static const int32_t ones[66] = {[0] = 1,  [1] = 1,  [5] = 1,  [8] = 1,  [13] = 1, [21] = 1,
                                 [33] = 1, [34] = 1, [40] = 1, [55] = 1, [64] = 1, [65] = 1};
static const int32_t lists[2 * 200] = {[3] = 1, [127] = -1, [128] = 1, [301] = 1, [399] = 1};

static const ag_case cases[] = {
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
    .prepare = {&embedding_bag_invert_kernel},
    .backward = {&embedding_bag_backward_kernel},
    .saves = SAVE_X(1),
    .scratch = scratch,
    .cuda = &cuda,
    AG_CASES(cases),
};

const ag_op *const ag__ops_embedding_bag[] = {&embedding_bag, NULL};

ag_tensor *ag_embedding_bag(ag_tensor *table, ag_tensor *index, int stride)
{
    return ag__record2(&embedding_bag, table, index, &(ag_attr){.i = {stride}});
}
