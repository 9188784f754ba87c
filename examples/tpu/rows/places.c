/* SPDX-License-Identifier: MIT */
#include "examples/tpu/rows/places.h"

#include <math.h>
#include <string.h>

int nests_is_view(int opcode)
{
    switch (opcode) {
    case TPUGRAPHS_PARAMETER:
    case TPUGRAPHS_CONSTANT:
    case TPUGRAPHS_IOTA:
    case TPUGRAPHS_BITCAST:
    case TPUGRAPHS_BROADCAST:
    case TPUGRAPHS_RESHAPE:
    case TPUGRAPHS_REVERSE:
    case TPUGRAPHS_SLICE:
    case TPUGRAPHS_TRANSPOSE:
    case TPUGRAPHS_TUPLE: return 1;
    default: return 0;
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
    const int *in = h->shape[v].size, *out = h->shape[u].size;
    int i = h->shape[v].rank - 1, o = h->shape[u].rank - 1;
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
