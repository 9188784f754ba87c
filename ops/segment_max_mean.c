/* SPDX-License-Identifier: MIT */
/* segment_max_mean: rows starts[g]..starts[g+1]-1 of x [n,f] -> row g of y [segments,2f], the
   largest of each column and after them the means. One pass over x, and one over dx. An empty
   segment gives 0; rows outside of all segments have gradient 0. */
#include "ops/segment_max_mean.h"
#include "ops/ops.h"
#include "ops/table.h"

static int segment_max_mean_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], starts = call->xs[1];
    if (x.rank != 2)
        return ag__reject_input(call, 0, "x must have an axis of rows and one of columns");
    if (starts.rank != 1 || starts.size[0] < 1)
        return ag__reject_input(call, 1,
                                "starts needs one axis with one element more than segments");
    if (x.size[1] > INT_MAX / 2)
        return ag__reject_input(call, 0, "there are more than 2^30 columns");
    call->ys[0] = AG_SHAPE(starts.size[0] - 1, 2 * x.size[1]);
    call->ys[1] = AG_SHAPE(starts.size[0] - 1, x.size[1]);
    return 0;
}

/* On a device: pieces of the rows where few segments are long. */
static int in_pieces(const ag_args *a) { return cut_pays(max_mean_cut(a), ag__columns(a->xs[0])); }
DEVICE(segment_max_mean_all)
{
    if (!in_pieces(a)) {
        segment_max_mean_forward_kernel.cuda(a);
        return;
    }
    segment_max_mean_pieces_kernel.cuda(a);
    segment_max_mean_join_kernel.cuda(a);
}
static int64_t scratch(const ag_args *a, int backward)
{
    return backward || !in_pieces(a) ? 0
                                     : pieces_scratch(max_mean_cut(a), 3, ag__columns(a->xs[0]));
}
static const ag_kernels cuda = {.forward = {&segment_max_mean_all_kernel},
                                .backward = {&segment_max_mean_backward_kernel},
                                .scratch = scratch};

static const int32_t four[] = {0, 3, 3, 4, 9}, inner[] = {1, 3, 5}, none[] = {0, 0, 0},
                     one[] = {0, 40}, long_ones[] = {1, 129, 129, 130, 899};

static const ag_case cases[] = {
    {.x = {{2, {9, 5}}, {1, {5}}}, .ints = {NULL, four}},
    {.x = {{2, {7, 5}}, {1, {3}}}, .ints = {NULL, inner}},
    {.x = {{2, {0, 5}}, {1, {3}}}, .ints = {NULL, none}},
    {.x = {{2, {3, 5}}, {1, {3}}}, .ints = {NULL, none}},
    {.x = {{2, {3, 5}}, {1, {1}}}, .ints = {NULL, none}},
    {.x = {{2, {9, 0}}, {1, {5}}}, .ints = {NULL, four}},
    {.x = {{2, {40, 32}}, {1, {2}}}, .ints = {NULL, one}},
    {.x = {{2, {40, 33}}, {1, {2}}}, .ints = {NULL, one}},
    {.x = {{2, {9, 1025}}, {1, {5}}}, .ints = {NULL, four}},
    {.x = {{2, {9, 2}}, {1, {5}}}, .lo = 2, .hi = 2, .ints = {NULL, four}},
    {.x = {{2, {900, 33}}, {1, {5}}}, .ints = {NULL, long_ones}},
};

static const ag_op segment_max_mean = {
    .name = "segment_max_mean",
    .formula = "y[g,:] = largest, then mean of rows starts[g]..starts[g+1]-1 of x, by column",
    .inputs = "x starts",
    .ints = SAVE_X(1) | SAVE_Y(1),
    .outputs = 2,
    .shape = segment_max_mean_shape,
    .forward = {&segment_max_mean_forward_kernel},
    .backward = {&segment_max_mean_backward_kernel},
    .saves = SAVE_X(1) | SAVE_Y(1),
    .cuda = &cuda,
    .has_kinks = 1,
    .cases = cases,
    .n_cases = sizeof cases / sizeof *cases,
    .replaces = "concat2(segment_max(x, starts), segment_mean(x, starts), -1)",
};

const ag_op *const ag__ops_segment_max_mean[] = {&segment_max_mean, NULL};

ag_tensor *ag_segment_max_mean(ag_tensor *x, ag_tensor *starts)
{
    return ag__check_starts(ag__record2(&segment_max_mean, x, starts, NULL), 1);
}
