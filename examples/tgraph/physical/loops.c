/* SPDX-License-Identifier: MIT */
/* The loop nest of a node for given strides. */
#include "examples/tgraph/physical/physical.h"

#include <math.h>

/* ---- a nest while it is built ---- */

static void add(tgraph_nest *n, double size, int reduce, double out, double in0, double in1)
{
    n->work *= size;
    if (size > 1 && n->loops < TGRAPH_LOOPS - 1)
        n->loop[n->loops++] = (tpugraphs_loop){size, out, {in0, in1}, reduce, 0};
}

static tgraph_nest finished(tgraph_nest n)
{
    n.loops = tpugraphs_plan_loops(n.loop, n.loops, &n.folds);
    return n;
}

/* ---- windows ---- */

/* The outputs times the taps of axis i of a window that meet an element of the input. */
static double taps_inside(const tgraph_operation *o, int i, double outputs, double inputs)
{
    const double last = (inputs - 1) * o->gap[i];
    double all = 0;
    for (int k = 0; k < o->window[i]; k++) {
        const double at = (double)k * o->tap[i] - o->low[i];
        const double first = fmax(0, ceil(-at / o->step[i]));
        const double end = fmin(outputs, floor((last - at) / o->step[i]) + 1);
        if (end > first) all += end - first;
    }
    return all / o->gap[i];
}

/* The loops of axis i of a window over an axis of the input; `in`: its stride. */
static void add_window(tgraph_nest *n, const tgraph_operation *o, int i, double outputs,
                       double inputs, double out, double in, double kernel)
{
    enum { LONG = 4096 }; /* taps of such a window are not looked at one by one */
    const double reach = (outputs - 1) * o->step[i] + ((double)o->window[i] - 1) * o->tap[i];
    const int cut = o->low[i] > 0 || o->gap[i] > 1 || reach - o->low[i] > inputs - 1;
    const int first = n->loops;
    add(n, outputs, 0, out, o->step[i] * in, 0);
    add(n, o->window[i], 1, 0, o->tap[i] * in, kernel);
    if (!cut) return;
    for (int k = first; k < n->loops; k++) n->loop[k].window = 1 + i;
    if (o->window[i] <= LONG)
        n->work *= fmax(1, taps_inside(o, i, outputs, inputs)) / (outputs * o->window[i]);
}

/* ---- kinds of nodes ---- */

static void map(tgraph_nest *n, const tgraph_physical *p, const tgraph_operation *o,
                const tgraph_strides *out, const tgraph_strides *in)
{
    int same[TGRAPH_INPUTS] = {0};
    for (int k = 0; k < o->operands; k++) same[k] = p->operation[o->operand[k]].rank == o->rank;
    for (int i = 0; i < o->rank; i++)
        add(n, o->size[i], 0, out->of[i], same[0] ? in[0].of[i] : 0, same[1] ? in[1].of[i] : 0);
}

static void broadcast(tgraph_nest *n, const tgraph_operation *o, int rank,
                      const tgraph_strides *out, const tgraph_strides *in)
{
    double stride[TGRAPH_AXES] = {0};
    for (int i = 0; i < rank; i++) stride[o->dims[i]] = in->of[i];
    for (int i = 0; i < o->rank; i++) add(n, o->size[i], 0, out->of[i], stride[i], 0);
}

static void transpose(tgraph_nest *n, const tgraph_operation *o, const tgraph_strides *out,
                      const tgraph_strides *in)
{
    for (int i = 0; i < o->rank; i++) add(n, o->size[i], 0, out->of[i], in->of[o->dims[i]], 0);
}

static void reduce(tgraph_nest *n, const tgraph_operation *o, const tgraph_operation *x,
                   const tgraph_strides *out, const tgraph_strides *in)
{
    unsigned gone = 0;
    for (int i = 0; i < x->rank - o->rank; i++) gone |= 1u << o->dims[i];
    for (int i = 0, kept = 0; i < x->rank; i++) {
        const int sum = gone >> i & 1;
        add(n, x->size[i], sum, sum ? 0 : out->of[kept], in->of[i], 0);
        kept += !sum;
    }
}

static void window(tgraph_nest *n, const tgraph_operation *o, const tgraph_operation *x,
                   const tgraph_strides *out, const tgraph_strides *in)
{
    for (int i = 0; i < o->rank; i++) {
        add_window(n, o, i, o->size[i], x->size[i], out->of[i], in->of[i], 0);
    }
}

static void dot(tgraph_nest *n, const tgraph_operation *o, const tgraph_operation *a,
                const tgraph_operation *b, const tgraph_strides *out, const tgraph_strides *in)
{
    int axis = 0;
    for (; axis < o->batch; axis++)
        add(n, o->size[axis], 0, out->of[axis], in[0].of[axis], in[1].of[axis]);
    for (int i = o->batch; i < a->rank; i++)
        if (i != o->left) add(n, a->size[i], 0, out->of[axis++], in[0].of[i], 0);
    for (int i = o->batch; i < b->rank; i++)
        if (i != o->right) add(n, b->size[i], 0, out->of[axis++], 0, in[1].of[i]);
    add(n, a->size[o->left], 1, 0, in[0].of[o->left], in[1].of[o->right]);
}

static void convolution(tgraph_nest *n, const tgraph_operation *o, const tgraph_operation *a,
                        const tgraph_operation *kernel, const tgraph_strides *out,
                        const tgraph_strides *in)
{
    const int *x = o->in_axis, *w = o->kernel_axis, *y = o->out_axis;
    const double each = kernel->size[w[1]], gives = (double)o->size[y[1]] / o->groups;
    add(n, o->size[y[0]], 0, out->of[y[0]], in[0].of[x[0]], 0);
    add(n, o->groups, 0, gives * out->of[y[1]], each * in[0].of[x[1]], gives * in[1].of[w[0]]);
    add(n, gives, 0, out->of[y[1]], 0, in[1].of[w[0]]);
    add(n, each, 1, 0, in[0].of[x[1]], in[1].of[w[1]]);
    for (int i = 0; i + 2 < o->rank; i++) {
        add_window(n, o, i, o->size[y[2 + i]], a->size[x[2 + i]], out->of[y[2 + i]],
                   in[0].of[x[2 + i]], in[1].of[w[2 + i]]);
    }
}

tgraph_nest tgraph_nest_of(const tgraph_physical *p, int node, const tgraph_strides *out,
                           const tgraph_strides in[TGRAPH_INPUTS])
{
    const tgraph_operation *o = &p->operation[node];
    const tgraph_operation *a = o->operands ? &p->operation[o->operand[0]] : NULL;
    const tgraph_operation *b = o->operands > 1 ? &p->operation[o->operand[1]] : NULL;
    tgraph_nest n = {.work = 1};
    switch (o->kind) {
    case TGRAPH_BROADCAST: broadcast(&n, o, a->rank, out, in); break;
    case TGRAPH_TRANSPOSE: transpose(&n, o, out, in); break;
    case TGRAPH_REDUCE: reduce(&n, o, a, out, in); break;
    case TGRAPH_WINDOW: window(&n, o, a, out, in); break;
    case TGRAPH_DOT: dot(&n, o, a, b, out, in); break;
    case TGRAPH_CONVOLUTION: convolution(&n, o, a, b, out, in); break;
    default: map(&n, p, o, out, in); break;
    }
    return finished(n);
}

tgraph_nest tgraph_copy_nest(int rank, const int *size, const tgraph_strides *out,
                             const tgraph_strides *in)
{
    tgraph_nest n = {.work = 1};
    for (int i = 0; i < rank; i++) add(&n, size[i], 0, out->of[i], in->of[i], 0);
    return finished(n);
}

/* ---- reshapes ---- */

/* The axes of one side from the most minor on; neighbours that are contiguous are merged. */
typedef struct side {
    int count;
    double size[TGRAPH_AXES], stride[TGRAPH_AXES];
} side;

static side side_of(const tgraph_operation *o, const tgraph_strides *strides)
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

int tgraph_reshape_nest(tgraph_nest *nest, const tgraph_physical *p, int node,
                        const tgraph_strides *out, const tgraph_strides *in)
{
    const tgraph_operation *o = &p->operation[node];
    side a = side_of(o, out), b = side_of(&p->operation[o->operand[0]], in);
    tgraph_nest n = {.work = 1};
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
