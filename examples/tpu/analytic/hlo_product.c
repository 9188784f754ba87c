/* SPDX-License-Identifier: MIT */
/* Dots and convolutions: finds the role of each operand and axis. */
#include "examples/tpu/analytic/hlo.h"

#include <math.h>
#include <string.h>

enum { IN_BATCH = 93, KERNEL_IN = 99, OUT_BATCH = 105, GROUPS = 107 };

typedef struct sizes {
    int rank;
    double size[TPU_RANK];
} sizes;

static sizes sizes_of(const tpu_hlo *h, int u)
{
    sizes s;
    s.rank = tpu_hlo_shape(s.size, h, u);
    return s;
}

/* ---- dot ---- */

/* 1 if the output's axes from `first` on are the batch axes, then the free axes of `x` without its
   contracted axis. */
static int fits(const sizes *out, const sizes *x, int batch, int contracted, int first)
{
    for (int a = 0; a < batch; a++)
        if (x->size[a] != out->size[a]) return 0;
    for (int a = batch; a < x->rank; a++)
        if (a != contracted && x->size[a] != out->size[first++]) return 0;
    return 1;
}

/* Appends the readings in which `left` is the first operand; returns their number so far. */
static int contract(tpu_dot *d, int n, int most, tpu_dot with, const sizes *out, const sizes *left,
                    const sizes *right)
{
    const int batch = left->rank + right->rank - out->rank - 2;
    if (batch < 0 || batch >= left->rank || batch >= right->rank) return n;
    for (int l = left->rank - 1; l >= batch; l--)
        for (int r = batch; r < right->rank && n < most; r++)
            if (left->size[l] == right->size[r] && fits(out, left, batch, l, batch) &&
                fits(out, right, batch, r, left->rank - 1)) {
                with.batch = batch;
                with.left_axis = l;
                with.right_axis = r;
                with.inner = left->size[l];
                d[n++] = with;
            }
    return n;
}

/* |left| |right| / |out| is batch inner^2. The size of the batch is that of the leading axes that
   all three share, as many as give an integer. */
static double inner_of_elements(const sizes *out, const sizes *left, double all)
{
    double batch = 1, inner = sqrt(all);
    for (int a = 0; a < out->rank && a < left->rank; a++) {
        if (fabs(inner - round(inner)) < 1e-6 * inner) break;
        if (out->size[a] != left->size[a]) break;
        batch *= out->size[a];
        inner = sqrt(all / batch);
    }
    return inner;
}

static int is_operand(const tpu_hlo *h, int u, int v)
{
    for (int i = h->start[u]; i < h->start[u + 1]; i++)
        if (h->operand[i] == v) return 1;
    return 0;
}

/* The reading that the file gives, if the shapes agree. */
static int contract_as_said(tpu_dot *d, const tpu_hlo *h, int u)
{
    const tpu_kernel *k = h->kernel;
    int i = 0;
    while (i < k->dots && k->dot[i].node != u) i++;
    if (i == k->dots || !is_operand(h, u, k->dot[i].left) || !is_operand(h, u, k->dot[i].right))
        return 0;
    const tpugraphs_dot said = k->dot[i];
    const sizes out = sizes_of(h, u), l = sizes_of(h, said.left), r = sizes_of(h, said.right);
    if (said.batch != l.rank + r.rank - out.rank - 2 || said.left_axis >= l.rank ||
        said.right_axis >= r.rank || l.size[said.left_axis] != r.size[said.right_axis] ||
        !fits(&out, &l, said.batch, said.left_axis, said.batch) ||
        !fits(&out, &r, said.batch, said.right_axis, l.rank - 1))
        return 0;
    *d = (tpu_dot){said.left,      said.right,      said.batch,
                   said.left_axis, said.right_axis, l.size[said.left_axis]};
    return 1;
}

int tpu_hlo_dots(tpu_dot *d, int most, const tpu_hlo *h, int u)
{
    const int n = tpu_hlo_operands(h, u);
    if (n < 1) return 0;
    if (contract_as_said(d, h, u)) return 1;
    const int first = h->operand[h->start[u]], second = h->operand[h->start[u] + (n > 1)];
    const sizes out = sizes_of(h, u), a = sizes_of(h, first), b = sizes_of(h, second);
    tpu_dot one = {.left = first, .right = second, .left_axis = -1, .right_axis = -1};
    const tpu_dot other = {.left = second, .right = first};
    int found = contract(d, 0, most, one, &out, &a, &b);
    if (n > 1) found = contract(d, found, most, other, &out, &b, &a);
    if (found) return found;
    const double elements = tpu_hlo_elements(h, u);
    const double both = tpu_hlo_elements(h, first) * tpu_hlo_elements(h, second);
    one.inner = elements > 0 ? inner_of_elements(&out, &a, both / elements) : 0;
    d[0] = one;
    return 1;
}

int tpu_hlo_dot(tpu_dot *d, const tpu_hlo *h, int u) { return tpu_hlo_dots(d, 1, h, u); }

/* ---- convolution ---- */

/* An axis below `rank`; -1: the feature is none. */
static int axis(float feature, int rank)
{
    return feature >= 0 && feature < (float)rank ? (int)feature : -1;
}

static int read_axes(int *batch, int *feature, int *spatial, int n, const float *row, int rank)
{
    *batch = axis(row[0], rank);
    *feature = axis(row[1], rank);
    int ok = *batch >= 0 && *feature >= 0;
    for (int i = 0; i < n; i++) {
        spatial[i] = axis(row[2 + i], rank);
        ok = ok && spatial[i] >= 0;
    }
    return ok;
}

/* The features omit the output's spatial axes, which are the remaining ones, ascending. */
static void out_spatial(tpu_convolution *c, int rank)
{
    for (int a = 0, n = 0; a < rank && n < TPU_SPATIAL; a++)
        if (a != c->out_batch && a != c->out_feature) c->out_spatial[n++] = a;
}

static int pair_fits(const tpu_convolution *c, const sizes *out, const sizes *in, const sizes *w)
{
    int ok = in->rank == out->rank && w->rank == out->rank;
    ok = ok && in->size[c->in_feature] == w->size[c->kernel_in] * c->groups;
    ok = ok && w->size[c->kernel_out] == out->size[c->out_feature];
    for (int i = 0; ok && i < c->spatial; i++)
        ok = w->size[c->kernel_spatial[i]] == c->window[i].size;
    return ok;
}

int tpu_hlo_convolution(tpu_convolution *c, const tpu_hlo *h, int u)
{
    const float *row = tpu_hlo_row(h, u);
    const int n = tpu_hlo_operands(h, u);
    const sizes out = sizes_of(h, u);
    *c = (tpu_convolution){.input = -1, .kernel = -1, .inner = 1};
    c->spatial = tpu_hlo_windows(c->window, h, u);
    if (c->spatial > TPU_SPATIAL) c->spatial = TPU_SPATIAL;
    if (c->spatial > out.rank - 2) c->spatial = out.rank < 2 ? 0 : out.rank - 2;
    for (int i = 0; i < c->spatial; i++) c->inner *= c->window[i].size;
    c->groups = fmax(1, (double)row[GROUPS]);
    c->out_batch = axis(row[OUT_BATCH], out.rank);
    c->out_feature = axis(row[OUT_BATCH + 1], out.rank);
    if (n < 1 || c->out_batch < 0 || c->out_feature < 0 ||
        !read_axes(&c->in_batch, &c->in_feature, c->in_spatial, c->spatial, row + IN_BATCH,
                   out.rank) ||
        !read_axes(&c->kernel_in, &c->kernel_out, c->kernel_spatial, c->spatial, row + KERNEL_IN,
                   out.rank))
        return 0;
    out_spatial(c, out.rank);
    /* Operands are sorted in the file; where both orders fit, the first is the input. */
    for (int swap = 0; swap < 2; swap++) {
        const int input = h->operand[h->start[u] + (swap && n > 1)];
        const int kernel = h->operand[h->start[u] + (!swap && n > 1)];
        const sizes in = sizes_of(h, input), w = sizes_of(h, kernel);
        if (!pair_fits(c, &out, &in, &w)) continue;
        c->input = input;
        c->kernel = kernel;
        c->inner *= w.size[c->kernel_in];
        return 1;
    }
    return 0;
}
