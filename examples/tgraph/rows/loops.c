/* SPDX-License-Identifier: MIT */
/* The loop nest of a node for given strides. */
#include "examples/tgraph/rows/layout.h"

#include <math.h>

/* ---- a nest while it is built ---- */

static void add(nests_nest *n, double size, int reduce, double out, double in0, double in1)
{
    n->work *= size;
    if (size > 1 && n->loops < NESTS_LOOPS - 1)
        n->loop[n->loops++] = (tpugraphs_loop){size, out, {in0, in1}, reduce, 0};
}

static nests_nest finished(nests_nest n)
{
    n.loops = tpugraphs_plan_loops(n.loop, n.loops, TPUGRAPHS_BY_STRIDES, &n.folds);
    return n;
}

/* The outputs times the taps of a window that meet an element of the input. */
static double taps_inside(const tpugraphs_window *w, double outputs, double inputs)
{
    const double last = (inputs - 1) * w->base_dilation;
    double all = 0;
    for (int k = 0; k < w->size; k++) {
        const double at = (double)k * w->dilation - w->low;
        const double first = fmax(0, ceil(-at / w->stride));
        const double end = fmin(outputs, floor((last - at) / w->stride) + 1);
        if (end > first) all += end - first;
    }
    return all / w->base_dilation;
}

/* The loops of window i over an axis of the input; `in`: its stride. */
static void add_window(nests_nest *n, const tpugraphs_operation *o, int i, double outputs,
                       double inputs, double out, double in, double kernel)
{
    enum { LONG = 4096 }; /* taps of such a window are not looked at one by one */
    const tpugraphs_window *w = &o->window[i];
    const double reach = (outputs - 1) * w->stride + ((double)w->size - 1) * w->dilation;
    const int cut = w->low > 0 || w->base_dilation > 1 || reach - w->low > inputs - 1;
    const int first = n->loops;
    add(n, outputs, 0, out, w->stride * in, 0);
    add(n, w->size, 1, 0, w->dilation * in, kernel);
    if (!cut) return;
    for (int k = first; k < n->loops; k++) n->loop[k].window = 1 + i;
    if (w->size <= LONG) n->work *= fmax(1, taps_inside(w, outputs, inputs)) / (outputs * w->size);
}

/* Each axis of the output moves along the axes of the operands that become it. */
static void map(nests_nest *n, const nests_layout *p, const tpugraphs_operation *o,
                const nests_strides *out, const nests_strides *in)
{
    double stride[NESTS_INPUTS][TPUGRAPHS_AXES] = {{0}};
    for (int k = 0; k < o->operands; k++) {
        const tpugraphs_operation *x = &p->operation[o->operand[k]];
        int axis[TPUGRAPHS_AXES];
        nests_axes(axis, o, x);
        for (int i = 0; i < x->rank; i++)
            if (axis[i] >= 0) stride[k][axis[i]] = in[k].of[i];
    }
    for (int i = 0; i < o->rank; i++) add(n, o->size[i], 0, out->of[i], stride[0][i], stride[1][i]);
}

static void reduction(nests_nest *n, const nests_layout *p, const tpugraphs_operation *o,
                      const nests_strides *out, const nests_strides *in)
{
    const tpugraphs_operation *a = &p->operation[o->operand[0]];
    const tpugraphs_space s = tpugraphs_space_of(o, a, &p->operation[o->operand[1]]);
    for (int i = 0; i < s.n; i++) {
        const tpugraphs_index *x = &s.index[i], *next = x + 1;
        const double size = x->sum ? x->size : o->size[x->axis];
        const double to = x->sum ? 0 : out->of[x->axis];
        const double left = x->in[0] < 0 ? 0 : in[0].of[x->in[0]];
        const double right = x->in[1] < 0 ? 0 : in[1].of[x->in[1]];
        if (x->split) { /* group by group; next: the features of a group that are read */
            const double gives = size / o->conv.groups;
            add(n, o->conv.groups, 0, gives * to, next->size * left, gives * right);
            add(n, gives, 0, to, 0, right);
        } else if (x->window) { /* next: its taps */
            add_window(n, o, x->window - 1, size, a->size[x->in[0]], to, left,
                       next->in[1] < 0 ? 0 : in[1].of[next->in[1]]);
            i++;
        } else
            add(n, size, x->sum, to, left, right);
    }
}

nests_nest nests_nest_of(const nests_layout *p, int node, const nests_strides *out,
                         const nests_strides in[NESTS_INPUTS])
{
    const tpugraphs_operation *o = &p->operation[node];
    nests_nest n = {.work = 1};
    switch (o->kind) {
    case TPUGRAPHS_REDUCE:
    case TPUGRAPHS_REDUCE_WINDOW:
    case TPUGRAPHS_DOT:
    case TPUGRAPHS_CONVOLUTION: reduction(&n, p, o, out, in); break;
    default: map(&n, p, o, out, in); break;
    }
    return finished(n);
}

nests_nest nests_copy_nest(int rank, const int *size, const nests_strides *out,
                           const nests_strides *in)
{
    nests_nest n = {.work = 1};
    for (int i = 0; i < rank; i++) add(&n, size[i], 0, out->of[i], in->of[i], 0);
    return finished(n);
}

/* The axes of one side from the most minor on; neighbours that are contiguous are merged. */
typedef struct side {
    int count;
    double size[TPUGRAPHS_AXES], stride[TPUGRAPHS_AXES];
} side;

static side side_of(const tpugraphs_operation *o, const nests_strides *strides)
{
    side s = {0};
    for (int i = o->rank - 1; i >= 0; i--) {
        const int last = s.count - 1;
        if (o->size[i] == 1) continue;
        if (s.count && strides->of[i] == s.size[last] * s.stride[last])
            s.size[last] *= o->size[i];
        else {
            s.size[s.count] = o->size[i];
            s.stride[s.count++] = strides->of[i];
        }
    }
    return s;
}

int nests_reshape_nest(nests_nest *nest, const nests_layout *p, int node, const nests_strides *out,
                       const nests_strides *in)
{
    const tpugraphs_operation *o = &p->operation[node];
    side a = side_of(o, out), b = side_of(&p->operation[o->operand[0]], in);
    nests_nest n = {.work = 1};
    int moves = 0, i = 0, j = 0;
    while (i < a.count && j < b.count) {
        const double small = fmin(a.size[i], b.size[j]);
        if (fmod(a.size[i], small) != 0 || fmod(b.size[j], small) != 0) return -1;
        add(&n, small, 0, a.stride[i], b.stride[j], 0);
        moves |= a.stride[i] != b.stride[j];
        a.stride[i] *= small;
        b.stride[j] *= small;
        if ((a.size[i] /= small) == 1) i++;
        if ((b.size[j] /= small) == 1) j++;
    }
    *nest = finished(n);
    return !moves;
}
