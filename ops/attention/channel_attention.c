/* SPDX-License-Identifier: MIT */
/* channel_attention: y = x sigmoid(relu(x w1' + b1) w2' + b2), row by row, in one sweep: a block of
   rows passes both products and the gate while it is in the cache. Saved: x and the narrow hidden
   rows; the gate is computed again. */
#include "ops/attention/channel_attention.h"
#include "ops/attention/channel_parts.h"
#include "ops/ops.h"
#include "ops/table.h"

#include <string.h>

/* x [rows,f], w1 [r,f], w2 [f,r]. */
typedef struct sizes {
    int rows, f, r;
} sizes;

static sizes sizes_of(const ag_args *a)
{
    return (sizes){(int)ag__rows(a->xs[0]), a->xs[1].size[1], a->xs[1].size[0]};
}

static int channel_attention_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], w1 = call->xs[1], w2 = call->xs[3];
    if (x.rank < 1 || w1.rank != 2 || w2.rank != 2)
        return ag__reject_input(call,
                                x.rank < 1     ? 0
                                : w1.rank != 2 ? 1
                                               : 3,
                                "x needs an axis, w1 and w2 two");
    if (refuse_weights(call, ag__columns(x))) return 1;
    call->ys[0] = call->ys[1] = x;
    call->ys[1].size[x.rank - 1] = w1.size[0];
    return 0;
}

static int64_t forward_count(const ag_args *a) { return ag__rows(a->xs[0]); }
static int64_t forward_grain(const ag_args *a)
{
    (void)a;
    return ROWS;
}

static void forward_rows(const ag_args *a, int64_t lo, int64_t hi)
{
    const sizes s = sizes_of(a);
    const ag_real *w1 = a->scratch, *w2 = w1 + ag__panels_size(s.r, s.f);
    ag_real *h = Y(1), *y = Y(0);
    ag__panels_rows(h, X(0), w1, NULL, s.rows, s.r, s.f, 0, lo, hi);
    squeeze_rows(h + lo * s.r, X(2), hi - lo, s.r);
    ag__panels_rows(y, h, w2, NULL, s.rows, s.f, s.r, 0, lo, hi);
    gate_rows(y + lo * s.f, X(0) + lo * s.f, X(4), hi - lo, s.f);
}
static const ag_kernel channel_attention_forward = {.name = "channel_attention_forward",
                                                    .count = forward_count,
                                                    .range = forward_rows,
                                                    .grain = forward_grain};

/* ---- backward ---- */

/* Scratch holds the panels, then for each piece its sums and a block of dpre and dh. */
static int64_t piece_size(sizes s)
{
    return whole_lines(sums_size(s.f, s.r)) + whole_lines((int64_t)ROWS * s.f) +
           whole_lines((int64_t)ROWS * s.r);
}

static int64_t channel_attention_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    return panels_size(s.f, s.r, backward) + (backward ? PIECES * piece_size(s) : 0);
}

static void backward_block(const ag_args *a, sizes s, ag_real *sums, ag_real *dpre, ag_real *dh,
                           int64_t lo, int n)
{
    const int64_t fr = (int64_t)s.f * s.r;
    const ag_real *h = (ag_real *)a->y[1] + lo * s.r, *x = X(0) + lo * s.f;
    ag_real *dx = DX + lo * s.f, *dw1 = sums, *dw2 = sums + fr, *db1 = dw2 + fr, *db2 = db1 + s.r;
    const ag_real *w2 = a->scratch + ag__panels_size(s.f, s.r),
                  *w1 = w2 + ag__panels_size(s.r, s.f);
    ag__panels_rows(dpre, h, a->scratch, NULL, n, s.f, s.r, 0, 0, n);
    if (a->add)
        gate_gradient(dpre, dx, x, DY(0) + lo * s.f, X(4), n, s.f, 1);
    else
        gate_gradient(dpre, dx, x, DY(0) + lo * s.f, X(4), n, s.f, 0);
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < s.f; j++) db2[j] += dpre[i * s.f + j];
    ag__panels_rows(dh, dpre, w2, NULL, n, s.r, s.f, 0, 0, n);
    squeeze_gradient(dh, db1, h, n, s.r);
    ag__panels_rows(dx, dh, w1, NULL, n, s.f, s.r, 1, 0, n);
    ag__gemm_part(dw2, h, dpre, 1, 0, s.r, s.f, n, s.f, s.r, s.f, 1); /* transposed: wide rows */
    ag__gemm_part(dw1, dh, x, 1, 0, s.r, s.f, n, s.f, s.r, s.f, 1);
}

static void backward_pieces(const ag_args *a, int64_t first, int64_t last)
{
    const sizes s = sizes_of(a);
    for (int64_t p = first; p < last; p++) {
        ag_real *sums = a->scratch + panels_size(s.f, s.r, 1) + p * piece_size(s),
                *dpre = sums + whole_lines(sums_size(s.f, s.r));
        const int64_t lo = p * s.rows / PIECES, hi = (p + 1) * s.rows / PIECES;
        memset(sums, 0, (size_t)sums_size(s.f, s.r) * sizeof *sums);
        for (int64_t r = lo; r < hi; r += ROWS)
            backward_block(a, s, sums, dpre, dpre + whole_lines((int64_t)ROWS * s.f), r,
                           hi - r < ROWS ? (int)(hi - r) : ROWS);
    }
}
static const ag_kernel channel_attention_backward_x = {.name = "channel_attention_backward_x",
                                                       .count = pieces_count,
                                                       .range = backward_pieces,
                                                       .grain = pieces_grain};

HOST(channel_attention_backward_weight)
{
    const sizes s = sizes_of(a);
    add_weight(a, a->scratch + panels_size(s.f, s.r, 1), piece_size(s), s.f, s.r);
}

/* ---- on a device ---- */

/* One kernel each way where the weights fit. Else products of the whole, and the rows between them;
 * backward then keeps dpre and dh in scratch, then what column sums want. */

static int fits(sizes s) { return ag__device_channel_fits(s.f, s.r); }

static ag__channel channel_of(const ag_args *a, sizes s)
{
    return (ag__channel){X(0), X(1), X(2), X(3), X(4), s.rows, s.f, s.r};
}

static ag_real *dh_of(const ag_args *a) { return a->scratch + ag__elements(a->ys[0]); }
static ag_real *sums_of(const ag_args *a) { return dh_of(a) + ag__elements(a->ys[1]); }

static int64_t cuda_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    const int widest = s.f > s.r ? s.f : s.r;
    if (!backward) return 0;
    return fits(s) ? ag__device_channel_scratch(s.rows, s.f, s.r)
                   : (int64_t)s.rows * (s.f + s.r) + ag__column_scratch(s.rows, widest);
}

DEVICE(channel_attention_all)
{
    const sizes s = sizes_of(a);
    const ag__channel in = channel_of(a, s);
    if (fits(s)) {
        ag__device_channel_forward(Y(0), Y(1), &in);
        return;
    }
    ag__gemm(AG_CUDA, Y(1), X(0), X(1), 0, 1, s.rows, s.r, s.f, 0, NULL);
    channel_squeeze_kernel.cuda(a);
    ag__gemm(AG_CUDA, Y(0), Y(1), X(3), 0, 1, s.rows, s.f, s.r, 0, NULL);
    channel_gate_kernel.cuda(a);
}

DEVICE(channel_attention_all_back_x)
{
    const sizes s = sizes_of(a);
    const ag__channel in = channel_of(a, s);
    if (fits(s)) {
        ag__device_channel_backward(DX, a->scratch, DY(0), NULL, Y(1), &in, a->add);
        return;
    }
    ag__gemm(AG_CUDA, a->scratch, Y(1), X(3), 0, 1, s.rows, s.f, s.r, 0, NULL);
    channel_gate_back_kernel.cuda(a);
    ag__gemm(AG_CUDA, dh_of(a), a->scratch, X(3), 0, 0, s.rows, s.r, s.f, 0, NULL);
    channel_squeeze_back_kernel.cuda(a);
    ag__gemm(AG_CUDA, DX, dh_of(a), X(1), 0, 0, s.rows, s.f, s.r, 1, NULL);
}

DEVICE(channel_attention_all_back_weight)
{
    const sizes s = sizes_of(a);
    const ag_real *dpre = a->scratch, *dh = fits(s) ? dpre : dh_of(a);
    add_weight_there(a, dh, dpre, sums_of(a), s.rows, s.f, s.r);
}

static const ag_kernels cuda = {
    .forward = {&channel_attention_all_kernel},
    .backward = {&channel_attention_all_back_x_kernel,
                 WEIGHTS(channel_attention_all_back_weight_kernel)},
    .scratch = cuda_scratch,
};

static const ag_case cases[] = {
    {.x = {{2, {5, 8}}, {2, {3, 8}}, {1, {3}}, {2, {8, 3}}, {1, {8}}}},
    {.x = {{3, {3, 2, 33}}, {2, {4, 33}}, {1, {4}}, {2, {33, 4}}, {1, {33}}}},
    {.x = {{2, {0, 8}}, {2, {3, 8}}, {1, {3}}, {2, {8, 3}}, {1, {8}}}},
    {.x = {{2, {300, 4}}, {2, {2, 4}}, {1, {2}}, {2, {4, 2}}, {1, {4}}}},
    {.x = {{1, {8}}, {2, {1, 8}}, {1, {1}}, {2, {8, 1}}, {1, {8}}}},
    {.x = {{3, {7, 21, 128}}, {2, {16, 128}}, {1, {16}}, {2, {128, 16}}, {1, {128}}}},
    {.x = {{2, {65, 38}}, {2, {5, 38}}, {1, {5}}, {2, {38, 5}}, {1, {38}}}},
    {.x = {{2, {9, 24}}, {2, {17, 24}}, {1, {17}}, {2, {24, 17}}, {1, {24}}}},
    {.x = {{2, {3, 260}}, {2, {2, 260}}, {1, {2}}, {2, {260, 2}}, {1, {260}}}},
};

static const ag_op channel_attention = {
    .name = "channel_attention",
    .formula = "y = x sigmoid(relu(x w1' + b1) w2' + b2)",
    .inputs = "x w1 b1 w2 b2",
    .outputs = 2,
    .shape = channel_attention_shape,
    .forward = {&channel_pack_kernel, &channel_attention_forward},
    .prepare = {&channel_pack_back_kernel},
    .backward = {&channel_attention_backward_x, WEIGHTS(channel_attention_backward_weight_kernel)},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(3) | SAVE_X(4) | SAVE_Y(1),
    .scratch = channel_attention_scratch,
    .cuda = &cuda,
    .first_serves_all = 1,
    .leads = 1,
    .has_kinks = 1,
    AG_CASES(cases),
    .replaces = "mul(x, sigmoid(linear(relu(linear(x, w1, b1)), w2, b2)))",
};

const ag_op *const ag__ops_channel_attention[] = {&channel_attention, NULL};

ag_tensor *ag_channel_attention(ag_tensor *x, ag_tensor *w1, ag_tensor *b1, ag_tensor *w2,
                                ag_tensor *b2)
{
    ag_tensor *in[] = {x, w1, b1, w2, b2};
    return ag__record(&channel_attention, in, 5, NULL);
}
