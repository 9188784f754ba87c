/* SPDX-License-Identifier: MIT */
/* The axes of an operand as its reader sees them, and where values lie. */
#include "examples/tpu/rows/tiling.h"

#include <math.h>
#include <string.h>

int nests_is_view(int opcode)
{
    static const char views[] = {TPUGRAPHS_PARAMETER, TPUGRAPHS_CONSTANT,  TPUGRAPHS_IOTA,
                                 TPUGRAPHS_BITCAST,   TPUGRAPHS_BROADCAST, TPUGRAPHS_RESHAPE,
                                 TPUGRAPHS_REVERSE,   TPUGRAPHS_SLICE,     TPUGRAPHS_TRANSPOSE,
                                 TPUGRAPHS_TUPLE};
    return memchr(views, opcode, sizeof views) != NULL;
}

enum { SLOTS = 2 /* axes of which the file has the start and stride of a slice */ };

/* The first index of axis a. The file has those of two axes and their sum: the rest of it belongs
   to the only other axis that is shorter than its operand's. */
static double slice_start(const tpu_hlo *h, int u, int v, int a)
{
    const int *in = h->operation[v].size, *out = h->operation[u].size;
    const float *row = tpu_hlo_row(h, u) + TPUGRAPHS_SLICE_START;
    if (a < SLOTS) return fmax(0, (double)row[a]);
    for (int b = SLOTS; b < h->operation[v].rank; b++)
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
    const int opcode = h->kernel->opcode[u], rank = h->operation[u].rank;
    const int in_rank = h->operation[v].rank;
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
        /* A list of dimensions ends with zeros, so that a second 0 is not an axis. */
        if (opcode == TPUGRAPHS_REVERSE && i < rank && axis >= 0 && axis < rank && (axis || !i))
            view->step[axis] = -1;
    }
}

void nests_place_dense(double stride[TPUGRAPHS_AXES], const double *box, int rank)
{
    double step = 1;
    for (int a = TPUGRAPHS_AXES - 1; a >= 0; a--) {
        stride[a] = a < rank ? step : 0;
        if (a < rank) step *= box[a];
    }
}

static void view(nests_place *p, const nests_place *from, const tpu_hlo *h, int u, int v)
{
    nests_view view;
    nests_view_of(&view, h, u, v);
    for (int a = 0; a < TPUGRAPHS_AXES; a++)
        if (view.from[a] >= 0) p->stride[view.from[a]] = view.step[a] * from->stride[a];
}

/* Groups of axes with equal numbers of elements: those of the result run through the operand's most
   minor axis of the group. */
static void reshape(nests_place *p, const nests_place *from, const tpu_hlo *h, int u, int v)
{
    const int *in = h->operation[v].size, *out = h->operation[u].size;
    int i = h->operation[v].rank - 1, o = h->operation[u].rank - 1;
    while (o >= 0) {
        while (i > 0 && in[i] == 1) i--;
        double step = i >= 0 ? from->stride[i] : 0, ins = i >= 0 ? in[i] : 1, outs = 1;
        for (i--; o >= 0 && (outs < ins || out[o] == 1); o--) {
            p->stride[o] = step;
            step *= out[o];
            outs *= out[o];
            while (i >= 0 && ins < outs) ins *= in[i--];
        }
        if (i < 0)
            for (; o >= 0; o--) p->stride[o] = 0;
    }
}

void nests_place_node(nests_place *place, int u, const tpu_hlo *h, const double *box, int computed)
{
    nests_place *p = &place[u];
    double size[TPUGRAPHS_AXES];
    const int rank = tpu_hlo_shape(size, h, u), opcode = h->kernel->opcode[u];
    const int v = h->start[u] < h->start[u + 1] ? h->operand[h->start[u]] : -1;
    memset(p, 0, sizeof *p);
    p->base = u;
    if (computed || !nests_is_view(opcode) || opcode == TPUGRAPHS_PARAMETER)
        nests_place_dense(p->stride, computed || opcode != TPUGRAPHS_PARAMETER ? box : size, rank);
    else if (opcode == TPUGRAPHS_IOTA && tpu_hlo_dim(h, u, 0) >= 0)
        p->stride[tpu_hlo_dim(h, u, 0)] = 1;
    else if (v >= 0 && v < u) {
        if (opcode == TPUGRAPHS_RESHAPE || opcode == TPUGRAPHS_BITCAST)
            reshape(p, &place[v], h, u, v);
        else
            view(p, &place[v], h, u, v);
        p->base = place[v].base;
    }
}
