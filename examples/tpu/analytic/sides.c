/* SPDX-License-Identifier: MIT */
#include "examples/tpu/analytic/sides.h"

#include <math.h>
#include <string.h>

enum { WINDOW_LOW = 53 };

double tpu_volume(const double box[TPU_RANK])
{
    double all = 1;
    for (int a = 0; a < TPU_RANK; a++) all *= box[a];
    return all;
}

int tpu_is_product(const tpu_hlo *h, int u)
{
    return h->kernel->opcode[u] == TPU_DOT || h->kernel->opcode[u] == TPU_CONVOLUTION;
}

/* The smallest region of node v around the one that is wanted and another. */
static void join(tpu_tiling *t, int v, const double *start, const double *in)
{
    double *box = t->box + (size_t)v * TPU_RANK, *lo = t->lo + (size_t)v * TPU_RANK;
    double size[TPU_RANK];
    tpu_hlo_shape(size, &t->hlo, v);
    for (int a = 0; a < TPU_RANK; a++) {
        const double first = t->want[v] ? fmin(lo[a], start[a]) : start[a];
        const double end = t->want[v] ? fmax(lo[a] + box[a], start[a] + in[a]) : start[a] + in[a];
        lo[a] = first;
        box[a] = fmin(size[a], fmax(1, end - first));
    }
}

/* Marks what node u reads, as large as its readers need together. */
static void want_operands(tpu_tiling *t, int u, const double *block)
{
    const tpu_hlo *h = &t->hlo;
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        const int v = h->operand[i];
        const double *out = t->box + (size_t)u * TPU_RANK;
        double in[TPU_RANK], start[TPU_RANK];
        if (v >= u) continue; /* the order is checked when files are read */
        tpu_tiling_operand(in, t, u, v, out, block);
        tpu_tiling_start(start, t, u, v, t->lo + (size_t)u * TPU_RANK, out);
        join(t, v, start, in);
        t->want[v] = 1;
    }
}

static void follow(tpu_tiling *t, int last, int stop)
{
    double block[TPU_RANK];
    for (int u = last; u >= 0; u--) {
        if (!t->want[u] || u == stop) continue;
        tpu_tiling_blocked(block, &t->hlo, u);
        want_operands(t, u, block);
    }
}

void tpu_want_after(tpu_tiling *t)
{
    memset(t->want, 0, (size_t)t->hlo.kernel->nodes);
    t->want[t->hlo.root] = 1;
    memset(t->lo + (size_t)t->hlo.root * TPU_RANK, 0, TPU_RANK * sizeof *t->lo);
    follow(t, t->hlo.root, t->reduction);
}

void tpu_want_before(tpu_tiling *t, const double block[TPU_RANK])
{
    memset(t->want, 0, (size_t)t->hlo.kernel->nodes);
    want_operands(t, t->reduction, block);
    follow(t, t->reduction - 1, -1);
}

int tpu_padded(double box[TPU_RANK], double every[TPU_RANK], const tpu_tiling *t, int u, int v,
               const double block[TPU_RANK])
{
    const tpu_hlo *h = &t->hlo;
    const int convolves = h->kernel->opcode[u] == TPU_CONVOLUTION;
    tpu_convolution c;
    tpu_window window[TPU_RANK];
    double in[TPU_RANK], size[TPU_RANK];
    const double *out = t->box + (size_t)u * TPU_RANK;
    int padded = 0;
    if (convolves ? !tpu_hlo_convolution(&c, h, u) || v != c.input
                  : h->kernel->opcode[u] != TPU_REDUCE_WINDOW || v != tpu_hlo_largest(h, u))
        return 0;
    const int n = convolves ? c.spatial : tpu_hlo_windows(window, h, u);
    tpu_hlo_shape(in, h, v);
    tpu_hlo_shape(size, h, u);
    memcpy(box, t->box + (size_t)v * TPU_RANK, TPU_RANK * sizeof *box);
    for (int a = 0; a < TPU_RANK; a++) every[a] = 1;
    for (int i = 0; i < n; i++) {
        const int a = convolves ? c.in_spatial[i] : i, o = convolves ? c.out_spatial[i] : i;
        const tpu_window w = convolves ? c.window[i] : window[i];
        const double all = (size[o] - 1) * w.stride + (w.size - 1) * w.dilation + 1;
        padded |= tpu_hlo_row(h, u)[WINDOW_LOW + i] != 0 || w.base_dilation != 1 || all > in[a];
        box[a] = (out[o] - 1) * w.stride + (block[i] - 1) * w.dilation + 1;
        every[a] = w.base_dilation;
    }
    return padded;
}
