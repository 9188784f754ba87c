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

/* Marks what node u reads, as large as its largest reader needs. */
static void want_operands(tpu_tiling *t, int u, const double *block)
{
    const tpu_hlo *h = &t->hlo;
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        const int v = h->operand[i];
        double in[TPU_RANK], *box = t->box + (size_t)v * TPU_RANK;
        if (v >= u) continue; /* the order is checked when files are read */
        tpu_tiling_operand(in, t, u, v, t->box + (size_t)u * TPU_RANK, block);
        for (int a = 0; a < TPU_RANK; a++) box[a] = t->want[v] ? fmax(box[a], in[a]) : in[a];
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
