/* SPDX-License-Identifier: MIT */
/* attend, forward. */
#include "core/blocks.h"
#include "ops/attention/attend_internal.h"

static void forward_node(const ag_args *a, sizes s, int64_t node)
{
    const int64_t first = node * s.configs;
    const ag_real over = 1 / X(T)[0];
    const ag_real *x = X(X_) + first * s.f, *r = a->n_in > R ? X(R) + first * 2 * s.f : NULL;
    ag_real *y = Y(0) + first * 2 * s.f, *top = Y(2) + node * 2 * s.f, *sum = top + s.f;
    for (int j = 0; j < s.f; j++) top[j] = -INFINITY;
    for (int j = 0; j < s.f; j++) sum[j] = 0;
    for (int c = 0; c < s.configs; c++)
        attend_gate(y + 2 * (int64_t)c * s.f, top, x + (int64_t)c * s.f, X(B2), over, s.f);
    for (int c = 0; c < s.configs; c++) {
        ag_real *v = y + 2 * (int64_t)c * s.f;
        attend_weigh(v + s.f, sum, v, top, over, s.f);
    }
    for (int j = 0; j < s.f; j++) sum[j] = 1 / sum[j];
    for (int c = 0; c < s.configs; c++) {
        const int64_t at = 2 * (int64_t)c * s.f;
        attend_gelu(y + at, NULL, r ? r + at : NULL, s.f);
        attend_gelu(y + at + s.f, sum, r ? r + at + s.f : NULL, s.f);
        if (a->attr.f[0] > 0) attend_drop(y + at, a, (first + c) * 2 * s.f, 2 * s.f);
    }
}

/* The terms of the gate go to the left half of y. */
void ag__attend_nodes(const ag_args *a, int64_t lo, int64_t hi)
{
    const sizes s = sizes_of(a);
    const int first = (int)(lo * s.configs), last = (int)(hi * s.configs);
    const ag_real *w1 = a->scratch, *w2 = w1 + ag__panels_size(s.r, s.f);
    ag_real *h = Y(1);
    ag__panels_rows(h, X(X_), w1, NULL, (int)rows_of(s), s.r, s.f, 0, first, last);
    squeeze_rows(h + (int64_t)first * s.r, X(B1), last - first, s.r);
    const ag_product p = {.c = Y(0),
                          .a = h,
                          .c_row = 2 * (int64_t)s.f,
                          .a_row = s.r,
                          .m = (int)rows_of(s),
                          .n = s.f,
                          .k = s.r};
    ag__product_packed(&p, w2, first, last, 0, ag__panels_of(s.f));
    for (int64_t v = lo; v < hi; v++) forward_node(a, s, v);
}
