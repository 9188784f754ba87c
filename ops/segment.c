/* SPDX-License-Identifier: MIT */
/* segment_sum (mean with i0 = 1), segment_max and segment_log_sum_exp: rows
   starts[g]..starts[g+1]-1 of x [n, ...] -> row g. All save the starts, max also the place of the
   first largest, log_sum_exp x and y. An empty segment gives 0; rows outside of all segments have
   gradient 0. sum_rows and max_rows are the first two without starts: all rows are one segment. */
#include "ops/segment.h"
#include "ops/ops.h"
#include "ops/table.h"

static int segment_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], *starts = call->n_in > 1 ? &call->xs[1] : NULL;
    if (x.rank < 1) return ag__reject_input(call, 0, "x needs an axis");
    if (starts && (starts->rank != 1 || starts->size[0] < 1))
        return ag__reject_input(call, 1,
                                "starts needs one axis with one element more than segments");
    if (row_too_wide(x)) return ag__reject_input(call, 0, "a row has more than 2^31 - 1 elements");
    call->ys[0] = call->ys[1] = starts ? shape_of_rows(starts->size[0] - 1, x) : row_shape(x);
    return 0;
}

/* ---- on a device: pieces of the rows where few segments are long ---- */

static int in_pieces(const ag_args *a) { return cut_pays(segment_cut(a), row_elements(a->xs[0])); }

DEVICE(segment_sum_all)
{
    launch_cut(a, in_pieces(a), &segment_sum_forward_kernel, &segment_sum_pieces_kernel,
               &segment_sum_join_kernel);
}
DEVICE(segment_max_all)
{
    launch_cut(a, in_pieces(a), &segment_max_forward_kernel, &segment_max_pieces_kernel,
               &segment_max_join_kernel);
}

static int64_t sum_scratch(const ag_args *a, int backward)
{
    return backward || !in_pieces(a) ? 0 : cut_slots(segment_cut(a)) * row_elements(a->xs[0]);
}
static int64_t max_scratch(const ag_args *a, int backward) { return 2 * sum_scratch(a, backward); }

static const ag_kernels sum_cuda = {.forward = {&segment_sum_all_kernel},
                                    .backward = {&segment_sum_backward_kernel},
                                    .scratch = sum_scratch};
static const ag_kernels max_cuda = {.forward = {&segment_max_all_kernel},
                                    .backward = {&segment_max_backward_kernel},
                                    .scratch = max_scratch};

static const ag_case sum_rows_cases[] = {
    {.x = {{2, {3, 5}}}},
    {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}},
    {.x = {{1, {7}}}},
    {.x = {{2, {1, 1}}}},
    {.x = {{3, {2, 3, 11}}}},
    {.x = {{2, {31, 64}}}},
    {.x = {{2, {32, 65}}}},
    {.x = {{2, {33, 31}}}},
    {.x = {{2, {3, 1025}}}, .attr = {.i = {1}}},
    {.x = {{2, {1025, 3}}}, .attr = {.i = {1}}},
    {.x = {{2, {256, 33}}}},
    {.x = {{2, {0, 5}}}, .attr = {.i = {1}}},
};

static const ag_op sum_rows = {
    .name = "sum_rows",
    .formula = "y[f] = sum over r of x[r,f] (i0 = 1: mean)",
    .inputs = "x",
    .shape = segment_shape,
    .forward = {&segment_sum_forward_kernel},
    .backward = {&segment_sum_backward_kernel},
    .cuda = &sum_cuda,
    AG_CASES(sum_rows_cases),
};

static const ag_case max_rows_cases[] = {
    {.x = {{2, {3, 5}}}},
    {.x = {{2, {0, 5}}}},
    {.x = {{2, {3, 0}}}},
    {.x = {{1, {7}}}},
    {.x = {{2, {1, 1}}}},
    {.x = {{2, {3, 5}}}, .lo = 2, .hi = 2}, /* all equal: the first row has the gradient */
    {.x = {{2, {33, 31}}}},
    {.x = {{2, {3, 1025}}}},
    {.x = {{3, {32, 5, 13}}}},
    {.x = {{2, {257, 33}}}},
    {.x = {{2, {1500, 2}}}, .lo = 2, .hi = 2},
};

static const ag_op max_rows = {
    .name = "max_rows",
    .formula = "y[f] = max over r of x[r,f]; 0 without rows",
    .inputs = "x",
    .ints = SAVE_Y(1),
    .outputs = 2,
    .shape = segment_shape,
    .forward = {&segment_max_forward_kernel},
    .backward = {&segment_max_backward_kernel},
    .cuda = &max_cuda,
    .saves = SAVE_Y(1),
    .has_kinks = 1,
    AG_CASES(max_rows_cases),
};

static const int32_t four[] = {0, 3, 3, 4, 9}, inner[] = {1, 3, 5}, none[] = {0, 0, 0},
                     one[] = {0, 40}, long_ones[] = {1, 129, 129, 130, 899};

#define CASES(mean)                                                                   \
 {.x = {{2, {9, 5}}, {1, {5}}}, .attr = {.i = {mean}}, .ints = {NULL, four}},         \
     {.x = {{2, {7, 5}}, {1, {3}}}, .attr = {.i = {mean}}, .ints = {NULL, inner}},    \
     {.x = {{2, {0, 5}}, {1, {3}}}, .attr = {.i = {mean}}, .ints = {NULL, none}},     \
     {.x = {{2, {3, 5}}, {1, {3}}}, .attr = {.i = {mean}}, .ints = {NULL, none}},     \
     {.x = {{2, {3, 5}}, {1, {1}}}, .attr = {.i = {mean}}, .ints = {NULL, none}},     \
     {.x = {{2, {9, 0}}, {1, {5}}}, .attr = {.i = {mean}}, .ints = {NULL, four}},     \
     {.x = {{1, {9}}, {1, {5}}}, .attr = {.i = {mean}}, .ints = {NULL, four}},        \
     {.x = {{3, {9, 2, 31}}, {1, {5}}}, .attr = {.i = {mean}}, .ints = {NULL, four}}, \
     {.x = {{2, {40, 32}}, {1, {2}}}, .attr = {.i = {mean}}, .ints = {NULL, one}},    \
     {.x = {{2, {40, 33}}, {1, {2}}}, .attr = {.i = {mean}}, .ints = {NULL, one}},    \
     {.x = {{2, {9, 1025}}, {1, {5}}}, .attr = {.i = {mean}}, .ints = {NULL, four}},  \
     {.x = {{2, {900, 33}}, {1, {5}}}, .attr = {.i = {mean}}, .ints = {NULL, long_ones}},

static const ag_case sum_cases[] = {CASES(0) CASES(1)};
static const ag_case max_cases[] = {
    CASES(0){.x = {{2, {9, 2}}, {1, {5}}}, .lo = 2, .hi = 2, .ints = {NULL, four}}};

static const ag_case log_sum_exp_cases[] = {
    CASES(0) /* and where e^x overflows, and where all e^x are 0 */
    {.x = {{2, {900, 1}}, {1, {5}}}, .lo = 500, .hi = 510, .ints = {NULL, long_ones}},
    {.x = {{2, {9, 2}}, {1, {5}}}, .lo = -1010, .hi = -1000, .ints = {NULL, four}},
};

static const ag_op segment_sum = {
    .name = "segment_sum",
    .formula = "y[g,:] = sum of rows starts[g]..starts[g+1]-1 of x (i0 = 1: mean)",
    .inputs = "x starts",
    .ints = SAVE_X(1),
    .shape = segment_shape,
    .forward = {&segment_sum_forward_kernel},
    .backward = {&segment_sum_backward_kernel},
    .cuda = &sum_cuda,
    .saves = SAVE_X(1),
    AG_CASES(sum_cases),
};

static const ag_op segment_max = {
    .name = "segment_max",
    .formula = "y[g,:] = largest of rows starts[g]..starts[g+1]-1 of x, by column",
    .inputs = "x starts",
    .ints = SAVE_X(1) | SAVE_Y(1),
    .outputs = 2,
    .shape = segment_shape,
    .forward = {&segment_max_forward_kernel},
    .backward = {&segment_max_backward_kernel},
    .cuda = &max_cuda,
    .saves = SAVE_X(1) | SAVE_Y(1),
    .has_kinks = 1,
    AG_CASES(max_cases),
};

static const ag_op segment_log_sum_exp = {
    .name = "segment_log_sum_exp",
    .formula = "y[g,:] = ln sum of e^x over rows starts[g]..starts[g+1]-1 of x, by column",
    .inputs = "x starts",
    .ints = SAVE_X(1),
    .shape = segment_shape,
    .forward = {&segment_log_sum_exp_forward_kernel},
    .backward = {&segment_log_sum_exp_backward_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(0),
    AG_CASES(log_sum_exp_cases),
};

const ag_op *const ag__ops_segment[] = {
    &sum_rows, &max_rows, &segment_sum, &segment_max, &segment_log_sum_exp, NULL};

static const ag_attr mean = {.i = {1}};

ag_tensor *ag_sum_rows(ag_tensor *x) { return ag__record1(&sum_rows, x, NULL); }
ag_tensor *ag_mean_rows(ag_tensor *x) { return ag__record1(&sum_rows, x, &mean); }
ag_tensor *ag_max_rows(ag_tensor *x) { return ag__record1(&max_rows, x, NULL); }

ag_tensor *ag_segment_sum(ag_tensor *x, ag_tensor *starts)
{
    return ag__check_starts(ag__record2(&segment_sum, x, starts, NULL), 1);
}

ag_tensor *ag_segment_mean(ag_tensor *x, ag_tensor *starts)
{
    return ag__check_starts(ag__record2(&segment_sum, x, starts, &mean), 1);
}

ag_tensor *ag_segment_max(ag_tensor *x, ag_tensor *starts)
{
    return ag__check_starts(ag__record2(&segment_max, x, starts, NULL), 1);
}

ag_tensor *ag_segment_log_sum_exp(ag_tensor *x, ag_tensor *starts)
{
    return ag__check_starts(ag__record2(&segment_log_sum_exp, x, starts, NULL), 1);
}
