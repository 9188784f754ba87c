/* SPDX-License-Identifier: MIT */
/* matmul: y = op(a) op(b); transpose: y = x'. */
#include "core/gemm.h"
#include "ops/matmul.h"
#include "ops/ops.h"
#include "ops/table.h"

/* Sizes of the product that a node computes: op(a) [n,k], op(b) [k,m]. */
typedef struct sizes {
    int ta, tb, n, m, k;
} sizes;

static sizes sizes_of(const ag_args *a)
{
    const int ta = a->attr.i[0], tb = a->attr.i[1];
    return (sizes){ta, tb, a->xs[0].size[ta], a->xs[1].size[!tb], a->xs[0].size[!ta]};
}

static int matmul_shape(ag_call *call)
{
    const ag_shape a = call->xs[0], b = call->xs[1];
    const int ta = call->attr.i[0], tb = call->attr.i[1];
    if (a.rank != 2 || b.rank != 2)
        return ag__reject_input(call, a.rank != 2 ? 0 : 1, "both must have two axes");
    if (a.size[!ta] != b.size[tb])
        return ag__reject(call,
                          "inner sizes %d and %d differ, but must be equal; look at the order, or "
                          "transpose with ag_matmul_t",
                          a.size[!ta], b.size[tb]);
    call->ys[0] = AG_SHAPE(a.size[ta], b.size[!tb]);
    return 0;
}

CALL(matmul_forward)
{
    const sizes s = sizes_of(a);
    ag__gemm(a->device, Y(0), X(0), X(1), s.ta, s.tb, s.n, s.m, s.k, 0, a->scratch);
}

/* da [n,k] = dy op(b)', or its transpose [k,n] = op(b) dy'. */
CALL(matmul_backward_a)
{
    const sizes s = sizes_of(a);
    if (s.ta)
        ag__gemm(a->device, DX, X(1), DY(0), s.tb, 1, s.k, s.n, s.m, a->add, a->scratch);
    else
        ag__gemm(a->device, DX, DY(0), X(1), 0, !s.tb, s.n, s.k, s.m, a->add, a->scratch);
}

/* db [k,m] = op(a)' dy, or its transpose [m,k] = dy' op(a). */
CALL(matmul_backward_b)
{
    const sizes s = sizes_of(a);
    if (s.tb)
        ag__gemm(a->device, DX, DY(0), X(0), 1, s.ta, s.m, s.k, s.n, a->add, a->scratch);
    else
        ag__gemm(a->device, DX, X(0), DY(0), !s.ta, 0, s.k, s.m, s.n, a->add, a->scratch);
}

static int64_t matmul_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    if (!backward) return ag__gemm_scratch(a->device, s.ta, s.tb, s.n, s.m, s.k);
    const int64_t da = s.ta ? ag__gemm_scratch(a->device, s.tb, 1, s.k, s.n, s.m)
                            : ag__gemm_scratch(a->device, 0, !s.tb, s.n, s.k, s.m);
    const int64_t db = s.tb ? ag__gemm_scratch(a->device, 1, s.ta, s.m, s.k, s.n)
                            : ag__gemm_scratch(a->device, !s.ta, 0, s.k, s.m, s.n);
    return da > db ? da : db;
}

static const ag_case matmul_cases[] = {
    {.x = {{2, {3, 4}}, {2, {4, 5}}}},
    {.x = {{2, {4, 3}}, {2, {4, 5}}}, .attr = {.i = {1, 0}}},
    {.x = {{2, {3, 4}}, {2, {5, 4}}}, .attr = {.i = {0, 1}}},
    {.x = {{2, {4, 3}}, {2, {5, 4}}}, .attr = {.i = {1, 1}}},
    {.x = {{2, {1, 1}}, {2, {1, 1}}}},
    {.x = {{2, {0, 4}}, {2, {4, 5}}}},
    {.x = {{2, {3, 0}}, {2, {0, 5}}}},
    {.x = {{2, {33, 31}}, {2, {31, 32}}}},
    {.x = {{2, {2100, 3}}, {2, {2100, 2}}},
     .attr = {.i = {1, 0}}}, /* a long inner sum, in pieces */
};

static const ag_op matmul = {
    .name = "matmul",
    .formula = "y = op(a) op(b), op transposing where asked",
    .inputs = "a b",
    .shape = matmul_shape,
    .forward = {&matmul_forward_kernel},
    .backward = {&matmul_backward_a_kernel, &matmul_backward_b_kernel},
    .saves = SAVE_X(0) | SAVE_X(1),
    .scratch = matmul_scratch,
    AG_CASES(matmul_cases),
};

const ag_op *const ag__ops_matmul[] = {&matmul, NULL};

ag_tensor *ag_matmul(ag_tensor *a, ag_tensor *b) { return ag__record2(&matmul, a, b, NULL); }

ag_tensor *ag_matmul_t(ag_tensor *a, ag_tensor *b, int ta, int tb)
{
    return ag__record2(&matmul, a, b, &(ag_attr){.i = {ta != 0, tb != 0}});
}
