/* SPDX-License-Identifier: MIT */
/* The axes of an operand as its reader sees them. */
#include "examples/tpu/rows/places.h"

#include <math.h>

enum { SLOTS = 2 /* axes of which the file has the start and stride of a slice */ };

/* The first index of axis a. The file has those of two axes and their sum: the rest of it belongs
   to the only other axis that is shorter than its operand's. */
static double slice_start(const tpu_hlo *h, int u, int v, int a)
{
    const int *in = h->shape[v].size, *out = h->shape[u].size;
    const float *row = tpu_hlo_row(h, u) + TPUGRAPHS_SLICE_START;
    if (a < SLOTS) return fmax(0, (double)row[a]);
    for (int b = SLOTS; b < h->shape[v].rank; b++)
        if (b != a && in[b] != out[b]) return 0;
    return in[a] == out[a] ? 0 : fmax(0, (double)row[SLOTS] - (double)row[0] - (double)row[1]);
}

static void slice(nests_view *view, const tpu_hlo *h, int u, int v)
{
    const float *every = tpu_hlo_row(h, u) + TPUGRAPHS_SLICE_STRIDE;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) {
        view->at[a] = slice_start(h, u, v, a);
        if (a < SLOTS && every[a] > 1) view->step[a] = (double)every[a];
    }
}

void nests_view_of(nests_view *view, const tpu_hlo *h, int u, int v)
{
    const int opcode = h->kernel->opcode[u], rank = h->shape[u].rank;
    const int in_rank = h->shape[v].rank;
    const int moves = opcode == TPUGRAPHS_BROADCAST || opcode == TPUGRAPHS_TRANSPOSE;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) {
        view->from[a] = a < rank && !moves ? a : -1;
        view->at[a] = 0;
        view->step[a] = 1;
    }
    if (opcode == TPUGRAPHS_SLICE) slice(view, h, u, v);
    for (int i = 0; i < TPUGRAPHS_AXES; i++) {
        const int axis = tpu_hlo_dim(h, u, i);
        if (opcode == TPUGRAPHS_BROADCAST && i < in_rank && axis < rank) view->from[i] = axis;
        if (opcode == TPUGRAPHS_TRANSPOSE && i < rank && axis >= 0) view->from[axis] = i;
        /* A list of dimensions ends with zeros, so that a second 0 is no axis. */
        if (opcode == TPUGRAPHS_REVERSE && i < rank && axis >= 0 && axis < rank && (axis || !i))
            view->step[axis] = -1;
    }
}
