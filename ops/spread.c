/* SPDX-License-Identifier: MIT */
/* spread: y[v,c,:] = base[v,:] + part[where[v],c,:]: what all configurations of a node share, plus
   what the configurable nodes have on their own. */
#include "ops/spread.h"
#include "ops/ops.h"
#include "ops/table.h"

static int spread_shape(ag_call *call)
{
    const ag_shape base = call->xs[0], part = call->xs[1], where = call->xs[2];
    if (base.rank != 2 || part.rank != 3 || where.rank != 1)
        return ag__reject_input(call,
                                base.rank != 2   ? 0
                                : part.rank != 3 ? 1
                                                 : 2,
                                "the inputs must be base [n,f], part [m,c,f] and where [n]");
    if (base.size[1] != part.size[2])
        return ag__reject(call, "%d and %d features differ", base.size[1], part.size[2]);
    if (base.size[0] != where.size[0])
        return ag__reject_input(call, 2, "where needs one element per row of base");
    call->ys[0] = AG_SHAPE(base.size[0], part.size[1], base.size[1]);
    return 0;
}

static const int32_t where[] = {-1, 2, 0, -1, 1}, none[] = {-1, -1, -1, -1, -1},
                     some[] = {-1, 2, 0, -1, 7};
static const ag_case cases[] = {
    {.x = {{2, {5, 3}}, {3, {3, 2, 3}}, {1, {5}}}, .ints = {NULL, NULL, where}},
    {.x = {{2, {5, 65}}, {3, {3, 4, 65}}, {1, {5}}}, .ints = {NULL, NULL, where}},
    {.x = {{2, {5, 3}}, {3, {3, 2, 3}}, {1, {5}}}, .ints = {NULL, NULL, some}},
    {.x = {{2, {5, 3}}, {3, {0, 2, 3}}, {1, {5}}}, .ints = {NULL, NULL, none}},
    {.x = {{2, {0, 3}}, {3, {2, 2, 3}}, {1, {0}}}, .ints = {NULL, NULL, none}},
    {.x = {{2, {5, 3}}, {3, {3, 0, 3}}, {1, {5}}}, .ints = {NULL, NULL, where}},
};

static const ag_op spread = {
    .name = "spread",
    .formula = "y[v,c,:] = base[v,:] + part[where[v],c,:]",
    .inputs = "base part where",
    .ints = SAVE_X(2),
    .shape = spread_shape,
    .forward = {&spread_forward_kernel},
    .backward = {&spread_backward_base_kernel, &spread_backward_part_kernel},
    .saves = SAVE_X(2),
    .partial = SAVE_X(1),
    .leads = 1,
    AG_CASES(cases),
};

const ag_op *const ag__ops_spread[] = {&spread, NULL};

ag_tensor *ag_spread(ag_tensor *base, ag_tensor *part, ag_tensor *where_)
{
    return ag__record3(&spread, base, part, where_, NULL);
}
