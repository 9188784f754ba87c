/* SPDX-License-Identifier: MIT */
/* The axes that are blocked, the views that are copied, and the values that a tile needs on both
   sides of the reduction. */
#include "examples/tpu/rows/tiling.h"
#include "examples/harness/harness.h"

#include <math.h>
#include <string.h>

/* ---- axes of the reduction that are blocked ---- */

/* The blocked axes of a node's reduction; returns their number. */
int nests_tiling_blocked(double size[TPUGRAPHS_AXES], const tpu_hlo *h, int u)
{
    tpugraphs_space space;
    int n = 0;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) size[a] = 1;
    if (!tpu_hlo_sum(&space, h, u)) return 0;
    for (int i = 0; i < space.n; i++) {
        const tpugraphs_index *x = &space.index[i];
        if (!x->sum) continue;
        size[x->axis] = fmax(1, x->size);
        if (x->axis >= n) n = x->axis + 1;
    }
    return n;
}

/* ---- copied views ---- */

static int is_reshape(int opcode)
{
    return opcode == TPUGRAPHS_RESHAPE || opcode == TPUGRAPHS_BITCAST;
}

/* Memory outside under any shape: a reshape of it is a view of the same memory. */
static int is_outside(const tpu_hlo *h, int u)
{
    while (is_reshape(h->kernel->opcode[u]) && h->start[u] < h->start[u + 1] &&
           h->operand[h->start[u]] < u)
        u = h->operand[h->start[u]];
    return h->kernel->opcode[u] == TPUGRAPHS_PARAMETER ||
           h->kernel->opcode[u] == TPUGRAPHS_CONSTANT;
}

static int wide_axes(double wide[TPUGRAPHS_AXES], const tpu_hlo *h, int u)
{
    const tpugraphs_operation *s = &h->operation[u];
    int n = 0;
    for (int a = 0; a < s->rank; a++)
        if (s->size[a] > 1) wide[n++] = s->size[a];
    return n;
}

/* 1 if several axes of v become one of its reshape u. */
static int merges(const tpu_hlo *h, int u, int v)
{
    double in[TPUGRAPHS_AXES], out[TPUGRAPHS_AXES];
    const int n_in = wide_axes(in, h, v), n_out = wide_axes(out, h, u);
    for (int i = 0, o = 0; i < n_in && o < n_out; i++, o++) {
        double left = in[i];
        if (left < out[o]) return 1;
        for (double all = out[o]; all < left && o + 1 < n_out; all *= out[o]) o++;
    }
    return 0;
}

static void mark_copied(nests_tiling *t, int u)
{
    const tpu_hlo *h = &t->hlo;
    if (!is_reshape(h->kernel->opcode[u]) || h->start[u] == h->start[u + 1]) return;
    const int v = h->operand[h->start[u]];
    if (v < u && nests_is_view(h->kernel->opcode[v]) && !is_outside(h, v) && merges(h, u, v))
        t->copied[v] = 1;
}

int nests_tiling_computes(const nests_tiling *t, int u)
{
    return t->want[u] &&
           (u == t->hlo.root || t->copied[u] || !nests_is_view(t->hlo.kernel->opcode[u]));
}

void nests_tiling_open(nests_tiling *t, const tpu_kernel *kernel)
{
    const size_t nodes = (size_t)kernel->nodes;
    *t = (nests_tiling){.reduction = -1, .hlo = t->hlo};
    tpu_hlo_open(&t->hlo, kernel);
    ag_arena **memory = &t->hlo.memory;
    t->box = HARNESS_TAKE(memory, t->box, nodes);
    t->lo = HARNESS_TAKE(memory, t->lo, nodes);
    t->place = HARNESS_TAKE(memory, t->place, 2 * nodes);
    t->copied = harness_take(memory, nodes);
    t->want = harness_take(memory, nodes);
    for (int u = 0; u < kernel->nodes; u++)
        if (tpu_type_of(kernel->opcode[u]) != TPU_TYPE_OTHER) t->reduction = u;
    for (int u = 0; u < kernel->nodes; u++) mark_copied(t, u);
    if (t->reduction >= 0) t->n_blocked = nests_tiling_blocked(t->blocked, &t->hlo, t->reduction);
}

void nests_tiling_close(nests_tiling *t)
{
    tpu_hlo_close(&t->hlo);
    *t = (nests_tiling){.reduction = -1};
}

/* ---- the region of an operand ---- */

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

/* The region of operand v that node u needs for its own region and the block of its reduction
   (whole axes for nodes that are not the kernel's reduction). It begins at `start`, 0 along axes
   for which that is not known, and is `in` large. */
static void operand_region(double start[TPUGRAPHS_AXES], double in[TPUGRAPHS_AXES],
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

/* ---- sides ---- */

double nests_volume(const double box[TPUGRAPHS_AXES])
{
    double all = 1;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) all *= box[a];
    return all;
}

int nests_is_product(const tpu_hlo *h, int u)
{
    return h->kernel->opcode[u] == TPUGRAPHS_DOT || h->kernel->opcode[u] == TPUGRAPHS_CONVOLUTION;
}

/* The smallest region of node v around the one that is wanted and another. */
static void join(nests_tiling *t, int v, const double *start, const double *in)
{
    double *box = t->box[v], *lo = t->lo[v];
    for (int a = 0; a < TPUGRAPHS_AXES; a++) {
        const double first = t->want[v] ? fmin(lo[a], start[a]) : start[a];
        const double end = t->want[v] ? fmax(lo[a] + box[a], start[a] + in[a]) : start[a] + in[a];
        lo[a] = first;
        box[a] = fmin(t->hlo.operation[v].size[a], fmax(1, end - first));
    }
}

/* Marks what node u reads, as large as its readers need together. */
static void want_operands(nests_tiling *t, int u, const double *block)
{
    const tpu_hlo *h = &t->hlo;
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        const int v = h->operand[i];
        double in[TPUGRAPHS_AXES], start[TPUGRAPHS_AXES];
        if (v >= u) continue; /* the order is checked when files are read */
        operand_region(start, in, t, u, v, block);
        join(t, v, start, in);
        t->want[v] = 1;
    }
}

static void follow(nests_tiling *t, int last, int stop)
{
    double block[TPUGRAPHS_AXES];
    for (int u = last; u >= 0; u--) {
        if (!t->want[u] || u == stop) continue;
        nests_tiling_blocked(block, &t->hlo, u);
        want_operands(t, u, block);
    }
}

void nests_want_after(nests_tiling *t)
{
    memset(t->want, 0, (size_t)t->hlo.kernel->nodes);
    t->want[t->hlo.root] = 1;
    memset(t->lo[t->hlo.root], 0, sizeof *t->lo);
    follow(t, t->hlo.root, t->reduction);
}

void nests_want_before(nests_tiling *t, const double block[TPUGRAPHS_AXES])
{
    memset(t->want, 0, (size_t)t->hlo.kernel->nodes);
    want_operands(t, t->reduction, block);
    follow(t, t->reduction - 1, -1);
}

int nests_padded(double box[TPUGRAPHS_AXES], double every[TPUGRAPHS_AXES], const nests_tiling *t,
                 int u, int v, const double block[TPUGRAPHS_AXES])
{
    tpugraphs_space space;
    const tpugraphs_operation *r = tpu_hlo_sum(&space, &t->hlo, u);
    const int *in = t->hlo.operation[v].size, *size = t->hlo.operation[u].size;
    const double *out = t->box[u];
    int padded = 0;
    if (!r || v != r->operand[0]) return 0;
    memcpy(box, t->box[v], TPUGRAPHS_AXES * sizeof *box);
    for (int a = 0; a < TPUGRAPHS_AXES; a++) every[a] = 1;
    for (int i = 0; i < space.n; i++) {
        const tpugraphs_index *x = &space.index[i];
        if (!x->window || x->sum) continue;
        const tpugraphs_window *w = &r->window[x->window - 1];
        const int a = x->in[0], o = x->axis;
        padded |= tpugraphs_leaves(w, size[o], in[a]);
        box[a] = tpugraphs_covered(w, out[o], block[x->window - 1]);
        every[a] = w->base_dilation;
    }
    return padded;
}
