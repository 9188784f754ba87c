/* SPDX-License-Identifier: MIT */
/* The region of an operand that a region of the result needs: its size, and where it begins. */
#include "examples/tpu/rows/tiling.h"

#include <math.h>
#include <string.h>

typedef struct edge {
    const tpu_hlo *h;
    int u, v;                             /* v is an operand of u */
    const tpugraphs_operation *to, *from; /* u, v */
    const double *lo, *out;               /* the region of u */
    const double *block;                  /* of its reduction */
    double *start, *in;                   /* the region of v */
} edge;

static void view(const edge *e)
{
    nests_view view;
    nests_view_of(&view, e->h, e->u, e->v);
    for (int a = 0; a < e->from->rank; a++) {
        const int axis = view.from[a];
        if (axis < 0) continue;
        e->in[a] = e->out[axis];
        e->start[a] = view.step[a] < 0 ? fmax(0, e->to->size[axis] - e->lo[axis] - e->out[axis])
                                       : view.at[a] + e->lo[axis] * view.step[a];
    }
}

/* Groups of axes with equal numbers of elements, most minor first; the elements of a group, from
   its first to its last with those in between, fill the operand's axes from the most minor on. */
static void reshape(const edge *e)
{
    int i = e->from->rank - 1, o = e->to->rank - 1;
    while (i >= 0) {
        double in_all = e->from->size[i], out_all = 1, wanted = 1, at = 0;
        int first = i;
        for (; o >= 0 && out_all < in_all; o--) {
            wanted += (e->out[o] - 1) * out_all;
            at += e->lo[o] * out_all;
            out_all *= e->to->size[o];
            while (in_all < out_all && first > 0) in_all *= e->from->size[--first];
        }
        for (; i >= first; i--) {
            e->in[i] = fmin(e->from->size[i], ceil(wanted));
            wanted = fmax(1, wanted / e->in[i]);
            e->start[i] = fmod(at, e->from->size[i]);
            at = floor(at / e->from->size[i]);
        }
    }
}

/* The average share of the result that comes from v. */
static void concatenate(const edge *e)
{
    const int along = tpu_hlo_dim(e->h, e->u, 0);
    view(e);
    if (along < 0 || along >= e->to->rank || along >= e->from->rank) return;
    e->in[along] = e->out[along] * e->from->size[along] / e->to->size[along];
    e->start[along] = 0;
}

/* Windows read a range of input elements; an input with gaps has fewer of them. Groups of features
   that are made read as many groups of the input. */
static void reduction(const edge *e)
{
    tpugraphs_space space;
    const tpugraphs_operation *o = tpu_hlo_sum(&space, e->h, e->u);
    if (!o) return;
    const int k = o->operands > 1 && e->v != o->operand[0] && e->v == o->operand[1];
    double groups = 1;
    for (int i = 0; i < space.n; i++) {
        const tpugraphs_index *x = &space.index[i];
        const int a = x->in[k];
        if (a < 0 || a >= e->from->rank || (!x->sum && x->axis >= e->to->rank)) continue;
        const double n = x->sum ? e->block[x->axis] : e->out[x->axis];
        if (x->split && !k)
            groups = ceil(n / nests_made(o));
        else if (k || !x->window)
            e->in[a] = x->sum ? n * groups : n;
        else if (!x->sum) {
            const tpugraphs_window *w = &o->window[x->window - 1];
            e->in[a] = ceil(tpugraphs_covered(w, n, e->block[x->window - 1]) / w->base_dilation);
        }
    }
}

void nests_tiling_operand(double start[TPUGRAPHS_AXES], double in[TPUGRAPHS_AXES],
                          const nests_tiling *t, int u, int v, const double block[TPUGRAPHS_AXES])
{
    const tpugraphs_operation *to = &t->hlo.operation[u], *from = &t->hlo.operation[v];
    const edge e = {&t->hlo, u, v, to, from, t->lo[u], t->box[u], block, start, in};
    for (int a = 0; a < TPUGRAPHS_AXES; a++) {
        in[a] = from->size[a];
        start[a] = 0;
    }
    switch (t->hlo.kernel->opcode[u]) {
    case TPUGRAPHS_BITCAST:
    case TPUGRAPHS_RESHAPE: reshape(&e); break;
    case TPUGRAPHS_CONCATENATE: concatenate(&e); break;
    case TPUGRAPHS_REDUCE:
    case TPUGRAPHS_REDUCE_WINDOW:
    case TPUGRAPHS_DOT:
    case TPUGRAPHS_CONVOLUTION: reduction(&e); break;
    case TPUGRAPHS_PAD:
    case TPUGRAPHS_GATHER:
        view(&e);
        memset(start, 0, TPUGRAPHS_AXES * sizeof *start);
        break;
    default: view(&e);
    }
    for (int a = 0; a < from->rank; a++) in[a] = fmin(from->size[a], fmax(in[a], 1));
}
