/* SPDX-License-Identifier: MIT */
/* Nodes that reduce: the role of each operand and axis. */
#include "examples/tpu/analytic/hlo.h"

#include <math.h>
#include <string.h>

enum { READINGS = 4 };

/* ---- dot ---- */

/* Appends the readings in which `left` is the first operand; returns their number so far. */
static int contract(tpu_dot *d, int n, int most, const tpu_hlo *h, int u, int left, int right)
{
    const tpugraphs_shape *shape = h->shape;
    tpugraphs_dot_axes axes[READINGS];
    const int more = tpugraphs_dot_readings(axes, most - n, &shape[u], &shape[left], &shape[right]);
    for (int i = 0; i < more; i++)
        d[n++] = (tpu_dot){left, right, axes[i], shape[left].size[axes[i].left]};
    return n;
}

/* |left| |right| / |out| is batch inner^2. The size of the batch is that of the leading axes that
   all three share, as many as give an integer. */
static double inner_of_elements(const tpugraphs_shape *out, const tpugraphs_shape *left, double all)
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
    const tpugraphs_dot_axes axes = {said.batch, said.left_axis, said.right_axis};
    const tpugraphs_shape *left = &h->shape[said.left];
    if (!tpugraphs_dot_fits(&axes, &h->shape[u], left, &h->shape[said.right])) return 0;
    *d = (tpu_dot){said.left, said.right, axes, left->size[axes.left]};
    return 1;
}

int tpu_hlo_dots(tpu_dot *d, int most, const tpu_hlo *h, int u)
{
    const int n = tpu_hlo_operands(h, u);
    if (n < 1) return 0;
    if (contract_as_said(d, h, u)) return 1;
    const int first = h->operand[h->start[u]], second = h->operand[h->start[u] + (n > 1)];
    int found = contract(d, 0, most, h, u, first, second);
    if (n > 1) found = contract(d, found, most, h, u, second, first);
    if (found) return found;
    const double elements = tpu_hlo_elements(h, u);
    const double both = tpu_hlo_elements(h, first) * tpu_hlo_elements(h, second);
    d[0] = (tpu_dot){first, second, {0, -1, -1}, 0};
    if (elements > 0)
        d[0].inner = inner_of_elements(&h->shape[u], &h->shape[first], both / elements);
    return 1;
}

int tpu_hlo_dot(tpu_dot *d, const tpu_hlo *h, int u) { return tpu_hlo_dots(d, 1, h, u); }

/* ---- convolution ---- */

static int pair_fits(const tpu_convolution *c, const tpu_hlo *h, int u, int input, int kernel)
{
    const int *size = h->shape[kernel].size;
    int fits = tpugraphs_conv_fits(&c->axes, &h->shape[u], &h->shape[input], &h->shape[kernel]);
    for (int i = 0; fits && i < c->axes.spatial; i++)
        fits = size[c->axes.kernel_spatial[i]] == c->window[i].size;
    return fits;
}

int tpu_hlo_convolution(tpu_convolution *c, const tpu_hlo *h, int u)
{
    const float *row = tpu_hlo_row(h, u);
    const int n = tpu_hlo_operands(h, u);
    *c = (tpu_convolution){.input = -1, .kernel = -1, .inner = 1};
    const int named = tpugraphs_conv_read(&c->axes, row, h->shape[u].rank);
    tpugraphs_windows_read(c->window, row);
    for (int i = 0; i < c->axes.spatial; i++) c->inner *= c->window[i].size;
    /* Operands are sorted in the file; where both orders fit, the first is the input. */
    for (int swap = 0; swap < 2 && named && n > 0; swap++) {
        const int input = h->operand[h->start[u] + (swap && n > 1)];
        const int kernel = h->operand[h->start[u] + (!swap && n > 1)];
        if (!pair_fits(c, h, u, input, kernel)) continue;
        c->input = input;
        c->kernel = kernel;
        c->inner *= h->shape[kernel].size[c->axes.kernel_in];
        return 1;
    }
    return 0;
}

/* ---- all ---- */

static int reduce_dot(tpu_sum *s, const tpu_hlo *h, int u)
{
    tpu_dot d;
    if (!tpu_hlo_dot(&d, h, u)) return 0;
    s->operand[0] = d.left;
    s->operand[1] = d.right;
    const tpugraphs_shape *a = &h->shape[d.left];
    if (d.axes.left >= 0)
        s->space = tpugraphs_dot_space(d.axes, a->size, a->rank, h->shape[d.right].rank);
    else
        s->space =
            (tpugraphs_space){1, {{.sum = 1, .in = {-1, -1}, .step = 1, .size = fmax(1, d.inner)}}};
    return 1;
}

static int reduce_convolution(tpu_sum *s, const tpu_hlo *h, int u)
{
    tpu_convolution c;
    if (!tpu_hlo_convolution(&c, h, u)) return 0;
    s->operand[0] = c.input;
    s->operand[1] = c.kernel;
    memcpy(s->window, c.window, sizeof s->window);
    s->space = tpugraphs_conv_space(&c.axes, c.window, h->shape[c.kernel].size);
    s->made = (double)h->shape[u].size[c.axes.out_feature] / c.axes.groups;
    return 1;
}

static int reduce_window(tpu_sum *s, const tpu_hlo *h, int u)
{
    s->operand[0] = tpu_hlo_largest(h, u);
    s->space =
        tpugraphs_window_space(s->window, tpugraphs_windows_read(s->window, tpu_hlo_row(h, u)));
    return s->operand[0] >= 0;
}

static int reduce_axes(tpu_sum *s, const tpu_hlo *h, int u)
{
    const int v = s->operand[0] = tpu_hlo_largest(h, u);
    int dims[TPUGRAPHS_AXES];
    if (v < 0) return 0;
    const tpugraphs_shape *in = &h->shape[v];
    for (int i = 0; i < TPUGRAPHS_AXES; i++) dims[i] = tpu_hlo_dim(h, u, i);
    s->space = tpugraphs_reduce_space(dims, in->rank - h->shape[u].rank, in->size, in->rank);
    return 1;
}

int tpu_hlo_sum(tpu_sum *s, const tpu_hlo *h, int u)
{
    s->operand[1] = -1;
    switch (h->kernel->opcode[u]) {
    case TPUGRAPHS_DOT: return reduce_dot(s, h, u);
    case TPUGRAPHS_CONVOLUTION: return reduce_convolution(s, h, u);
    case TPUGRAPHS_REDUCE: return reduce_axes(s, h, u);
    case TPUGRAPHS_REDUCE_WINDOW: return reduce_window(s, h, u);
    default: return 0;
    }
}

double tpu_hlo_taken_in(const tpu_hlo *h, int u)
{
    const int in = tpu_hlo_largest(h, u);
    tpugraphs_window window[TPUGRAPHS_AXES];
    tpu_convolution c;
    tpu_dot d;
    double all = 1;
    switch (h->kernel->opcode[u]) {
    case TPUGRAPHS_DOT: return tpu_hlo_dot(&d, h, u) ? d.inner : 0;
    case TPUGRAPHS_CONVOLUTION: tpu_hlo_convolution(&c, h, u); return c.inner;
    case TPUGRAPHS_REDUCE:
        return in < 0 ? 1 : tpu_hlo_elements(h, in) / fmax(1, tpu_hlo_elements(h, u));
    case TPUGRAPHS_REDUCE_WINDOW:
        for (int i = tpugraphs_windows_read(window, tpu_hlo_row(h, u)) - 1; i >= 0; i--)
            all *= window[i].size;
        return all;
    default: return 1;
    }
}
