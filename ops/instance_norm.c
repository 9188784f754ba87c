/* SPDX-License-Identifier: MIT */
/* instance_norm: y = (x - mean) / sqrt(var + epsilon) down the rows of each graph, column by
   column. Saved: y (which the next product saves anyway) and 1 / sqrt(var + epsilon). */
#include "ops/instance_norm.h"
#include "ops/ops.h"
#include "ops/table.h"

static int instance_norm_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], starts = call->xs[1];
    if (x.rank < 1 || starts.rank != 1 || starts.size[0] < 1)
        return ag__reject_input(
            call, x.rank < 1 ? 0 : 1,
            "x needs an axis of rows, starts one element more than there are graphs");
    if (starts.size[0] < 2 && x.size[0] > 0)
        return ag__reject_input(call, 1, "there are %d rows, but no graph", x.size[0]);
    if (!(call->attr.f[0] >= 0))
        return ag__reject(call, "epsilon is %g, but must be 0 or more", call->attr.f[0]);
    call->ys[0] = call->ys[1] = x;
    call->ys[1].size[0] = starts.size[0] - 1;
    return 0;
}

/* On a device. */
static int in_pieces(const ag_args *a) { return cut_pays(graphs_of(a), norm_columns(a->xs[0])); }
DEVICE(instance_norm_all)
{
    launch_cut(a, in_pieces(a), &instance_norm_forward_kernel, &instance_norm_moments_kernel,
               &instance_norm_join_kernel);
    if (in_pieces(a)) instance_norm_apply_kernel.cuda(a);
}
DEVICE(instance_norm_all_back)
{
    launch_cut(a, in_pieces(a), &instance_norm_backward_kernel, &instance_norm_sums_kernel,
               &instance_norm_join_back_kernel);
    if (in_pieces(a)) instance_norm_apply_back_kernel.cuda(a);
}
static int64_t cuda_scratch(const ag_args *a, int backward)
{
    (void)backward;
    return in_pieces(a) ? norm_scratch(a) : 0;
}

static const ag_kernels cuda = {
    .forward = {&instance_norm_all_kernel},
    .backward = {&instance_norm_all_back_kernel},
    .scratch = cuda_scratch,
};

static const int32_t one_graph[] = {0, 5}, three_graphs[] = {0, 2, 2, 5}, nothing[] = {0, 0},
                     tall[] = {0, 40}, one_node[] = {0, 1}, piece_and_one[] = {0, 257},
                     borders[] = {0, 1, 129, 129, 700, 828};
static const ag_case cases[] = {
    {.x = {{2, {5, 3}}, {1, {2}}}, .attr = {.f = {1e-5}}, .ints = {NULL, one_graph}},
    {.x = {{3, {5, 2, 33}}, {1, {2}}}, .attr = {.f = {1e-5}}, .ints = {NULL, one_graph}},
    {.x = {{2, {5, 65}}, {1, {4}}}, .attr = {.f = {1e-5}}, .ints = {NULL, three_graphs}},
    {.x = {{2, {0, 3}}, {1, {2}}}, .attr = {.f = {1e-5}}, .ints = {NULL, nothing}},
    {.x = {{2, {40, 3}}, {1, {2}}}, .attr = {.f = {1e-5}}, .ints = {NULL, tall}},
    {.x = {{2, {1, 3}}, {1, {2}}}, .attr = {.f = {1e-5}}, .ints = {NULL, one_node}},
    {.x = {{2, {257, 33}}, {1, {2}}}, .attr = {.f = {1e-5}}, .ints = {NULL, piece_and_one}},
    {.x = {{2, {828, 3}}, {1, {6}}}, .attr = {.f = {1e-5}}, .ints = {NULL, borders}},
};

static const ag_op instance_norm = {
    .name = "instance_norm",
    .formula = "y = (x - mean) / sqrt(var + f0) down the rows of each graph",
    .inputs = "x starts",
    .ints = SAVE_X(1),
    .outputs = 2,
    .shape = instance_norm_shape,
    .forward = {&instance_norm_forward_kernel},
    .backward = {&instance_norm_backward_kernel},
    .saves = SAVE_Y(0) | SAVE_Y(1) | SAVE_X(1),
    .cuda = &cuda,
    .kink = (double)NAN,
    AG_CASES(cases),
};

const ag_op *const ag__ops_instance_norm[] = {&instance_norm, NULL};

ag_tensor *ag_instance_norm(ag_tensor *x, ag_tensor *starts, ag_real epsilon)
{
    return ag__check_starts(
        ag__record2(&instance_norm, x, starts, &(ag_attr){.f = {(double)epsilon}}), 1);
}
