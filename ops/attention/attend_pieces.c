/* SPDX-License-Identifier: MIT */
/* attend, backward: what forward did not keep is computed again, for a block of nodes at a time. */
#include "ops/attention/attend_internal.h"

#include <string.h>

/* The gradient of GELU's input of one row, and of the residual. */
static void backward_gelu(const ag_args *a, ag_real *g, const ag_real *x, const ag_real *gate,
                          const ag_real *soft, int64_t row, int f)
{
    const int64_t e = row * 2 * f;
    const ag_real *r = a->n_in > R ? X(R) + e : NULL;
    if (a->attr.f[0] > 0)
        dropout_range(g, DY(0) + e, a, e, 2 * f, 0);
    else
        memcpy(g, DY(0) + e, 2 * (size_t)f * sizeof *g);
    attend_slope(g, x, gate, NULL, r, f);
    attend_slope(g + f, x, gate, soft, r ? r + f : NULL, f);
    if (a->also && a->add_also)
        for (int j = 0; j < 2 * f; j++) a->also[e + j] += g[j];
    else if (a->also)
        memcpy(a->also + e, g, 2 * (size_t)f * sizeof *g);
}

/* Node v, with its rows from `at` on in the block. */
static void backward_node(const ag_args *a, sizes s, const room *o, int64_t v, int64_t at)
{
    const int64_t first = v * s.configs, f = s.f;
    const ag_real over = 1 / X(T)[0], *x = X(X_) + first * f,
                  *most = (ag_real *)a->y[2] + v * 2 * f;
    ag_real *gate = o->gate + at * f, *soft = o->soft + at * f, *g = o->g + at * 2 * f;
    ag_real *dx = DX + first * f, *db2 = o->sums + 2 * f * s.r + s.r,
            *slopes = a->scratch + panels_size(s.f, s.r, 1) + v * f;
    memset(o->sp, 0, 3 * (size_t)whole_lines(f) * sizeof *o->sp);
    for (int64_t c = 0; c < s.configs; c++) {
        attend_gate_again(gate + c * f, X(B2), s.f);
        attend_softmax(soft + c * f, x + c * f, gate + c * f, most, most + f, over, s.f);
        backward_gelu(a, g + c * 2 * f, x + c * f, gate + c * f, soft + c * f, first + c, s.f);
        attend_sums(o->sp, o->spv, o->sv, g + c * 2 * f + f, x + c * f, gate + c * f, soft + c * f,
                    s.f);
    }
    for (int64_t c = 0; c < s.configs; c++) {
        const ag_real *left = g + c * 2 * f;
        if (a->add)
            attend_ungate(dx + c * f, gate + c * f, db2, left, left + f, x + c * f, soft + c * f,
                          o->sp, over, s.f, 1);
        else
            attend_ungate(dx + c * f, gate + c * f, db2, left, left + f, x + c * f, soft + c * f,
                          o->sp, over, s.f, 0);
    }
    for (int j = 0; j < s.f; j++) slopes[j] = o->spv[j] - o->sp[j] * o->sv[j];
}

/* Nodes lo..hi-1, at most group_of. */
static void backward_block(const ag_args *a, sizes s, const room *o, int64_t lo, int64_t hi)
{
    const int64_t first = lo * s.configs, fr = (int64_t)s.f * s.r;
    const int n = (int)((hi - lo) * s.configs);
    const ag_real *h = (ag_real *)a->y[1] + first * s.r, *x = X(X_) + first * s.f;
    const ag_real *w2 = a->scratch + ag__panels_size(s.f, s.r),
                  *w1 = w2 + ag__panels_size(s.r, s.f);
    ag_real *dw1 = o->sums, *dw2 = dw1 + fr, *db1 = dw2 + fr;
    ag__panels_rows(o->gate, h, a->scratch, NULL, n, s.f, s.r, 0, 0, n);
    for (int64_t v = lo; v < hi; v++) backward_node(a, s, o, v, (v - lo) * s.configs);
    ag__panels_rows(o->dh, o->gate, w2, NULL, n, s.r, s.f, 0, 0, n);
    squeeze_gradient(o->dh, db1, h, n, s.r);
    ag__panels_rows(DX + first * s.f, o->dh, w1, NULL, n, s.f, s.r, 1, 0, n);
    ag__gemm_part(dw2, h, o->gate, 1, 0, s.r, s.f, n, s.f, s.r, s.f, 1); /* transposed: wide rows */
    ag__gemm_part(dw1, o->dh, x, 1, 0, s.r, s.f, n, s.f, s.r, s.f, 1);
}

void ag__attend_pieces(const ag_args *a, int64_t first, int64_t last)
{
    const sizes s = sizes_of(a);
    for (int64_t p = first; p < last; p++) {
        const room o = room_of(a, s, p);
        const int64_t end = (p + 1) * s.nodes / PIECES, group = group_of(s);
        memset(o.sums, 0, (size_t)sums_size(s.f, s.r) * sizeof *o.sums);
        for (int64_t v = p * s.nodes / PIECES; v < end; v += group)
            backward_block(a, s, &o, v, v + group < end ? v + group : end);
    }
}
