/* SPDX-License-Identifier: MIT */
/* Where the region of an operand begins, so that regions that several nodes need are joined. */
#include "examples/tpu/analytic/tile_work.h"

#include <math.h>
#include <string.h>

enum { SLICE_START = 109, SLICE_STRIDE = 113, SLOTS = 2 };

static const double *none(void)
{
    static const double zero[TPU_RANK] = {0};
    return zero;
}

/* The first index of axis a. The file has those of two axes and their sum: the rest of it belongs
   to the only other axis that is shorter than its operand's. */
static double slice_start(const tpu_hlo *h, int u, int v, int a)
{
    double in[TPU_RANK], out[TPU_RANK];
    const float *row = tpu_hlo_row(h, u) + SLICE_START;
    const int rank = tpu_hlo_shape(in, h, v);
    if (a < SLOTS) return fmax(0, (double)row[a]);
    tpu_hlo_shape(out, h, u);
    for (int b = SLOTS; b < rank; b++)
        if (b != a && in[b] != out[b]) return 0;
    return in[a] == out[a] ? 0 : fmax(0, (double)row[SLOTS] - (double)row[0] - (double)row[1]);
}

static void slice(double *start, const tpu_tiling *t, int u, int v, const double *lo)
{
    const tpu_hlo *h = &t->hlo;
    const int rank = tpu_hlo_shape(NULL, h, u);
    for (int a = 0; a < rank; a++) {
        const float every = a < SLOTS ? tpu_hlo_row(h, u)[SLICE_STRIDE + a] : 1;
        start[a] = slice_start(h, u, v, a) + lo[a] * (every > 1 ? (double)every : 1);
    }
}

/* Groups of axes with equal numbers of elements: the element at which the group's part begins. */
static void reshape(double *start, const tpu_tiling *t, int u, int v, const double *lo)
{
    double in[TPU_RANK], out[TPU_RANK];
    int i = tpu_hlo_shape(in, &t->hlo, v) - 1, o = tpu_hlo_shape(out, &t->hlo, u) - 1;
    while (i >= 0) {
        double in_all = in[i], out_all = 1, at = 0;
        int first = i;
        for (; o >= 0 && out_all < in_all; o--) {
            at += lo[o] * out_all;
            out_all *= out[o];
            while (in_all < out_all && first > 0) in_all *= in[--first];
        }
        for (; i >= first; i--) {
            start[i] = fmod(at, in[i]);
            at = floor(at / in[i]);
        }
    }
}

static void reverse(double *start, const tpu_tiling *t, int u, const double *lo, const double *out)
{
    double size[TPU_RANK];
    const int rank = tpu_hlo_shape(size, &t->hlo, u);
    memcpy(start, lo, TPU_RANK * sizeof *start);
    for (int i = 0; i < rank; i++) {
        const int axis = tpu_hlo_dim(&t->hlo, u, i);
        if (axis < 0 || axis >= rank || (!axis && i)) continue; /* 0 after the last */
        start[axis] = fmax(0, size[axis] - lo[axis] - out[axis]);
    }
}

void tpu_tiling_start(double start[TPU_RANK], const tpu_tiling *t, int u, int v,
                      const double lo[TPU_RANK], const double out[TPU_RANK])
{
    const tpu_hlo *h = &t->hlo;
    const int rank = tpu_hlo_shape(NULL, h, u), in_rank = tpu_hlo_shape(NULL, h, v);
    memcpy(start, none(), TPU_RANK * sizeof *start);
    switch (h->kernel->opcode[u]) {
    case TPU_DOT:
    case TPU_CONVOLUTION:
    case TPU_REDUCE:
    case TPU_REDUCE_WINDOW:
    case TPU_PAD:
    case TPU_GATHER: return;
    case TPU_SLICE: slice(start, t, u, v, lo); return;
    case TPU_REVERSE: reverse(start, t, u, lo, out); return;
    case TPU_BITCAST:
    case TPU_RESHAPE: reshape(start, t, u, v, lo); return;
    case TPU_BROADCAST:
        for (int a = 0; a < in_rank; a++) {
            const int to = tpu_hlo_dim(h, u, a);
            if (to >= 0 && to < rank) start[a] = lo[to];
        }
        return;
    case TPU_TRANSPOSE:
        for (int a = 0; a < rank; a++) {
            const int from = tpu_hlo_dim(h, u, a);
            if (from >= 0 && from < in_rank) start[from] = lo[a];
        }
        return;
    default: memcpy(start, lo, TPU_RANK * sizeof *start);
    }
    if (h->kernel->opcode[u] == TPU_CONCATENATE) {
        const int axis = tpu_hlo_dim(h, u, 0);
        if (axis >= 0 && axis < TPU_RANK) start[axis] = 0;
    }
}
