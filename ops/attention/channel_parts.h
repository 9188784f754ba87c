/* SPDX-License-Identifier: MIT */
/* The parts that channel_attention and attend share on the host. Their inputs begin with x
   [..., f], w1 [r,f], b1 [r], w2 [f,r], b2 [f]; output 1 has the hidden rows. */
#ifndef AG_OPS_CHANNEL_PARTS_H
#define AG_OPS_CHANNEL_PARTS_H

#include "autograd/op.h"
#include "core/columns.h"
#include "core/cuda/device.h"
#include "core/gemm.h"
#include "core/panels.h"

/* Rows that are processed together; the rows are cut into PIECES pieces, and each sums its own
   gradients of the weights. */
enum { ROWS = 256, PIECES = 16 };

/* 1: the weights do not fit an x of f features, and the call is rejected. */
static inline int refuse_weights(ag_call *call, int f)
{
    const ag_shape w1 = call->xs[1], b1 = call->xs[2], w2 = call->xs[3], b2 = call->xs[4];
    const int r = w1.size[0], w1_fits = w1.rank == 2 && w1.size[1] == f,
              b1_fits = b1.rank == 1 && b1.size[0] == r;
    if (!w1_fits || w2.rank != 2 || w2.size[0] != f || w2.size[1] != r)
        return ag__reject_input(call, w1_fits ? 3 : 1,
                                "x has %d features, so w1 must be [r,%d] and w2 [%d,r]", f, f, f);
    if (!b1_fits || b2.rank != 1 || b2.size[0] != f)
        return ag__reject_input(call, b1_fits ? 4 : 2, "b1 must have %d elements and b2 %d", r, f);
    if (ag__rows(call->xs[0]) > INT_MAX) return ag__reject_input(call, 0, "more than 2^31 rows");
    return 0;
}

/* ---- panels at the start of scratch: of w1' and w2' forward, of w2', w2 and w1 backward ---- */

static inline int64_t panels_size(int f, int r, int backward)
{
    return (backward ? 2 : 1) * ag__panels_size(f, r) + ag__panels_size(r, f);
}

HOST(channel_pack)
{
    const int f = a->xs[1].size[1], r = a->xs[1].size[0];
    ag__panels_pack(a->scratch, X(1), 1, r, f);
    ag__panels_pack(a->scratch + ag__panels_size(r, f), X(3), 1, f, r);
}

HOST(channel_pack_back)
{
    const int f = a->xs[1].size[1], r = a->xs[1].size[0];
    ag_real *w2 = a->scratch + ag__panels_size(f, r), *w1 = w2 + ag__panels_size(r, f);
    ag__panels_pack(a->scratch, X(3), 1, f, r);
    ag__panels_pack(w2, X(3), 0, r, f);
    ag__panels_pack(w1, X(1), 0, f, r);
}

/* ---- gradients of the weights, from the sums of the pieces ---- */

/* Elements of cache lines, for panels and pieces to begin where a line does. */
static inline int64_t whole_lines(int64_t n) { return (n + 15) / 16 * 16; }

/* dw1, dw2', db1, db2 of a piece. */
static inline int64_t sums_size(int f, int r) { return 2 * (int64_t)f * r + f + r; }

static inline int64_t pieces_count(const ag_args *a)
{
    (void)a;
    return PIECES;
}
static inline int64_t pieces_grain(const ag_args *a)
{
    (void)a;
    return 1;
}

/* The gradient of weight `which`: the sums of all pieces, in order. The sums of a piece are `apart`
   elements after the previous piece's. */
static inline void add_weight(const ag_args *a, const ag_real *sums, int64_t apart, int f, int r)
{
    const int64_t fr = (int64_t)f * r, at[] = {0, 0, 2 * fr, fr, 2 * fr + r},
                  n[] = {0, fr, r, fr, f};
    sums += at[a->which];
    for (int64_t i = 0; i < n[a->which]; i++) {
        const int64_t e = a->which == 3 ? i % r * f + i / r : i; /* the sums of w2 are transposed */
        ag_real d = a->add ? DX[i] : 0;
        for (int p = 0; p < PIECES; p++) d += sums[p * apart + e];
        DX[i] = d;
    }
}

/* One kernel for the gradients of w1, b1, w2 and b2. */
#define WEIGHTS(kernel) &kernel, &kernel, &kernel, &kernel

/* ---- on a device ---- */

/* The same from what the one kernel of core/cuda/device.h left at dh, or else from the gradients dh
   [rows,r] of the hidden rows and dv [rows,f] of the gate's argument. scratch: for sums of columns.
 */
static inline void add_weight_there(const ag_args *a, const ag_real *dh, const ag_real *dv,
                                    ag_real *scratch, int rows, int f, int r)
{
    if (ag__device_channel_fits(f, r)) {
        ag__device_channel_weight(DX, dh, a->which, rows, f, r, a->add);
        return;
    }
    switch (a->which) {
    case 1: ag__gemm(AG_CUDA, DX, dh, X(0), 1, 0, r, f, rows, a->add, NULL); break;
    case 2: ag__column_sums(AG_CUDA, DX, dh, NULL, rows, r, a->add, scratch); break;
    case 3: ag__gemm(AG_CUDA, DX, dv, Y(1), 1, 0, f, r, rows, a->add, NULL); break;
    default: ag__column_sums(AG_CUDA, DX, dv, NULL, rows, f, a->add, scratch); break;
    }
}

#endif
