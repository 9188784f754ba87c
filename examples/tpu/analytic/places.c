/* SPDX-License-Identifier: MIT */
#include "examples/tpu/analytic/places.h"

#include <math.h>
#include <string.h>

enum { SLICE_STRIDE = 113 };

int tpu_is_view(int opcode)
{
    switch (opcode) {
    case TPU_PARAMETER:
    case TPU_CONSTANT:
    case TPU_IOTA:
    case TPU_BITCAST:
    case TPU_BROADCAST:
    case TPU_RESHAPE:
    case TPU_REVERSE:
    case TPU_SLICE:
    case TPU_TRANSPOSE:
    case TPU_TUPLE: return 1;
    default: return 0;
    }
}

void tpu_place_dense(double stride[TPU_RANK], const double *box, int rank)
{
    double step = 1;
    for (int a = TPU_RANK - 1; a >= 0; a--) {
        stride[a] = a < rank ? step : 0;
        if (a < rank) step *= box[a];
    }
}

static void broadcast(tpu_place *p, const tpu_place *from, const tpu_hlo *h, int u, int rank)
{
    for (int a = 0; a < rank; a++) {
        const int to = tpu_hlo_dim(h, u, a);
        if (to >= 0) p->stride[to] = from->stride[a];
    }
}

static void transpose(tpu_place *p, const tpu_place *from, const tpu_hlo *h, int u, int rank)
{
    for (int a = 0; a < rank; a++) {
        const int axis = tpu_hlo_dim(h, u, a);
        if (axis >= 0) p->stride[a] = from->stride[axis];
    }
}

static void slice(tpu_place *p, const tpu_place *from, const tpu_hlo *h, int u)
{
    *p = *from;
    for (int a = 0; a < 2; a++) {
        const float every = tpu_hlo_row(h, u)[SLICE_STRIDE + a];
        if (every > 1) p->stride[a] *= (double)every;
    }
}

/* Reversed axes run backwards. A list of dimensions ends with zeros, so that a second 0 is no
   axis. */
static void reverse(tpu_place *p, const tpu_place *from, const tpu_hlo *h, int u, int rank)
{
    *p = *from;
    for (int i = 0; i < rank; i++) {
        const int axis = tpu_hlo_dim(h, u, i);
        if (axis > 0 || (axis == 0 && i == 0)) p->stride[axis] = -from->stride[axis];
    }
}

/* Groups of axes with equal numbers of elements: those of the result run through the operand's most
   minor axis of the group. */
static void reshape(tpu_place *p, const tpu_place *from, const tpu_hlo *h, int u, int v)
{
    double in[TPU_RANK], out[TPU_RANK];
    int i = tpu_hlo_shape(in, h, v) - 1, o = tpu_hlo_shape(out, h, u) - 1;
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

void tpu_place_node(tpu_place *place, int u, const tpu_hlo *h, const double *box, int computed)
{
    tpu_place *p = &place[u];
    double size[TPU_RANK];
    const int rank = tpu_hlo_shape(size, h, u), opcode = h->kernel->opcode[u];
    const int v = h->start[u] < h->start[u + 1] ? h->operand[h->start[u]] : -1;
    memset(p, 0, sizeof *p);
    p->base = u;
    if (computed || !tpu_is_view(opcode) || opcode == TPU_PARAMETER)
        tpu_place_dense(p->stride, computed || opcode != TPU_PARAMETER ? box : size, rank);
    else if (opcode == TPU_IOTA && tpu_hlo_dim(h, u, 0) >= 0)
        p->stride[tpu_hlo_dim(h, u, 0)] = 1;
    else if (v >= 0 && v < u) {
        const tpu_place *from = &place[v];
        if (opcode == TPU_BROADCAST)
            broadcast(p, from, h, u, tpu_hlo_shape(NULL, h, v));
        else if (opcode == TPU_TRANSPOSE)
            transpose(p, from, h, u, rank);
        else if (opcode == TPU_SLICE)
            slice(p, from, h, u);
        else if (opcode == TPU_REVERSE)
            reverse(p, from, h, u, rank);
        else if (opcode == TPU_RESHAPE || opcode == TPU_BITCAST)
            reshape(p, from, h, u, v);
        else
            *p = *from;
        p->base = from->base;
    }
}
