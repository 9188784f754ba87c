/* SPDX-License-Identifier: MIT */
/* The loop nest of a node for given strides. */
#include "examples/tgraph/physical/physical.h"

#include <math.h>

/* ---- a nest while it is built ---- */

typedef struct nest {
    tgraph_loop *loop;
    int count;
    double work;
} nest;

static void add(nest *n, double size, int reduce, double out, double in0, double in1)
{
    n->work *= size;
    if (size > 1 && n->count < TGRAPH_LOOPS)
        n->loop[n->count++] = (tgraph_loop){size, out, {in0, in1}, reduce};
}

static double weight(const tgraph_loop *l) { return fabs(l->reduce ? l->in[0] : l->out); }

/* Free loops first; within each part the largest stride first. */
static void sort(nest *n)
{
    for (int i = 1; i < n->count; i++) {
        const tgraph_loop l = n->loop[i];
        int at = i;
        for (; at > 0; at--) {
            const tgraph_loop *before = &n->loop[at - 1];
            if (before->reduce < l.reduce) break;
            if (before->reduce == l.reduce && weight(before) >= weight(&l)) break;
            n->loop[at] = *before;
        }
        n->loop[at] = l;
    }
}

static int like_one(const tgraph_loop *outer, const tgraph_loop *inner)
{
    if (outer->reduce != inner->reduce || outer->out != inner->size * inner->out) return 0;
    for (int k = 0; k < TGRAPH_INPUTS; k++)
        if (outer->in[k] != inner->size * inner->in[k]) return 0;
    return 1;
}

static int finish(nest *n, double *work)
{
    int kept = 0;
    sort(n);
    for (int i = 0; i < n->count; i++) {
        if (kept && like_one(&n->loop[kept - 1], &n->loop[i])) {
            const double size = n->loop[kept - 1].size;
            n->loop[kept - 1] = n->loop[i];
            n->loop[kept - 1].size *= size;
        } else
            n->loop[kept++] = n->loop[i];
    }
    *work = n->work;
    return kept;
}

/* ---- kinds of nodes ---- */

static void map(nest *n, const tgraph_physical *p, const tgraph_operation *o,
                const tgraph_strides *out, const tgraph_strides *in)
{
    int same[TGRAPH_INPUTS] = {0};
    for (int k = 0; k < o->operands; k++) same[k] = p->operation[o->operand[k]].rank == o->rank;
    for (int i = 0; i < o->rank; i++)
        add(n, o->size[i], 0, out->of[i], same[0] ? in[0].of[i] : 0, same[1] ? in[1].of[i] : 0);
}

static void broadcast(nest *n, const tgraph_operation *o, int rank, const tgraph_strides *out,
                      const tgraph_strides *in)
{
    double stride[TGRAPH_AXES] = {0};
    for (int i = 0; i < rank; i++) stride[o->dims[i]] = in->of[i];
    for (int i = 0; i < o->rank; i++) add(n, o->size[i], 0, out->of[i], stride[i], 0);
}

static void transpose(nest *n, const tgraph_operation *o, const tgraph_strides *out,
                      const tgraph_strides *in)
{
    for (int i = 0; i < o->rank; i++) add(n, o->size[i], 0, out->of[i], in->of[o->dims[i]], 0);
}

static void reduce(nest *n, const tgraph_operation *o, const tgraph_operation *x,
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

static void window(nest *n, const tgraph_operation *o, const tgraph_strides *out,
                   const tgraph_strides *in)
{
    for (int i = 0; i < o->rank; i++) {
        add(n, o->size[i], 0, out->of[i], o->step[i] * in->of[i], 0);
        add(n, o->window[i], 1, 0, in->of[i], 0);
    }
}

static void dot(nest *n, const tgraph_operation *o, const tgraph_operation *a,
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

static void convolution(nest *n, const tgraph_operation *o, const tgraph_operation *kernel,
                        const tgraph_strides *out, const tgraph_strides *in)
{
    const int *x = o->in_axis, *w = o->kernel_axis, *y = o->out_axis;
    const double each = kernel->size[w[1]], gives = (double)o->size[y[1]] / o->groups;
    add(n, o->size[y[0]], 0, out->of[y[0]], in[0].of[x[0]], 0);
    add(n, o->groups, 0, gives * out->of[y[1]], each * in[0].of[x[1]], gives * in[1].of[w[0]]);
    add(n, gives, 0, out->of[y[1]], 0, in[1].of[w[0]]);
    add(n, each, 1, 0, in[0].of[x[1]], in[1].of[w[1]]);
    for (int i = 0; i + 2 < o->rank; i++) {
        add(n, o->size[y[2 + i]], 0, out->of[y[2 + i]], o->step[i] * in[0].of[x[2 + i]], 0);
        add(n, o->window[i], 1, 0, in[0].of[x[2 + i]], in[1].of[w[2 + i]]);
    }
}

int tgraph_loops(tgraph_loop loop[TGRAPH_LOOPS], double *work, const tgraph_physical *p, int node,
                 const tgraph_strides *out, const tgraph_strides in[TGRAPH_INPUTS])
{
    const tgraph_operation *o = &p->operation[node];
    const tgraph_operation *a = o->operands ? &p->operation[o->operand[0]] : NULL;
    const tgraph_operation *b = o->operands > 1 ? &p->operation[o->operand[1]] : NULL;
    nest n = {loop, 0, 1};
    switch (o->kind) {
    case TGRAPH_BROADCAST: broadcast(&n, o, a->rank, out, in); break;
    case TGRAPH_TRANSPOSE: transpose(&n, o, out, in); break;
    case TGRAPH_REDUCE: reduce(&n, o, a, out, in); break;
    case TGRAPH_WINDOW: window(&n, o, out, in); break;
    case TGRAPH_DOT: dot(&n, o, a, b, out, in); break;
    case TGRAPH_CONVOLUTION: convolution(&n, o, b, out, in); break;
    default: map(&n, p, o, out, in); break;
    }
    return finish(&n, work);
}

int tgraph_copy_loops(tgraph_loop loop[TGRAPH_LOOPS], double *work, int rank, const int *size,
                      const tgraph_strides *out, const tgraph_strides *in)
{
    nest n = {loop, 0, 1};
    for (int i = 0; i < rank; i++) add(&n, size[i], 0, out->of[i], in->of[i], 0);
    return finish(&n, work);
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

int tgraph_reshape_loops(tgraph_loop loop[TGRAPH_LOOPS], int *loops, double *work,
                         const tgraph_physical *p, int node, const tgraph_strides *out,
                         const tgraph_strides *in)
{
    const tgraph_operation *o = &p->operation[node];
    side a = side_of(o, out), b = side_of(&p->operation[o->operand[0]], in);
    nest n = {loop, 0, 1};
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
    *loops = finish(&n, work);
    return !moves;
}
