/* SPDX-License-Identifier: MIT */
/* The nests of each op. */
#include "examples/lab/run/run_internal.h"

#include <string.h>

typedef struct lowering {
    lab_run *run;
    const lab_node *node;
    float *home; /* where the node is written */
    const lab_view *out, *in;
    const float *const *data; /* of the operands */
    lab_nest_args step;       /* which is being described */
} lowering;

static lab_shape operand_shape(const lowering *l, int k)
{
    return l->run->p->nodes[l->node->operand[k]].shape;
}

void lab_view_row_major(lab_view *view, lab_shape shape)
{
    int64_t stride = 1;
    memset(view, 0, sizeof *view);
    for (int i = shape.rank - 1; i >= 0; i--) {
        view->stride[i] = stride;
        stride *= shape.size[i];
    }
}

/* The axes of one side from the most minor on; neighbours that are contiguous in memory are
   merged. */
typedef struct side {
    int n;
    int64_t size[LAB_RANK], stride[LAB_RANK];
} side;

static void fold_axes(side *s, lab_shape shape, const lab_view *view)
{
    s->n = 0;
    for (int i = shape.rank - 1; i >= 0; i--) {
        if (shape.size[i] == 1) continue;
        if (s->n && view->stride[i] == s->size[s->n - 1] * s->stride[s->n - 1])
            s->size[s->n - 1] *= shape.size[i];
        else {
            s->size[s->n] = shape.size[i];
            s->stride[s->n++] = view->stride[i];
        }
    }
}

int lab_reshape_axes(lab_reshape_axis axes[LAB_RESHAPE_AXES], lab_shape to, const lab_view *out,
                     lab_shape from, const lab_view *in)
{
    side a, b;
    int n = 0, i = 0, j = 0;
    fold_axes(&a, to, out);
    fold_axes(&b, from, in);
    while (i < a.n && j < b.n) {
        const int64_t small = a.size[i] < b.size[j] ? a.size[i] : b.size[j];
        if (a.size[i] % small || b.size[j] % small) return 0;
        axes[n++] = (lab_reshape_axis){small, a.stride[i], b.stride[j]};
        a.stride[i] *= small;
        b.stride[j] *= small;
        if ((a.size[i] /= small) == 1) i++;
        if ((b.size[j] /= small) == 1) j++;
    }
    if (!n) axes[n++] = (lab_reshape_axis){1, 1, 1};
    return n;
}

/* Begins a step, a nest without loops; input 0 is `in`, and there are no others. */
static nest *begin(lowering *l, nest_kind kind, lab_op op, const float *in)
{
    l->step = (lab_nest_args){.out = l->home, .in = {in}};
    l->step.nest =
        (nest){.kind = kind, .op = op, .type = l->node->shape.type, .rule = l->run->rule};
    return &l->step.nest;
}

static void go_nest(const void *args)
{
    const lab_nest_args *a = args;
    nest_run(&a->nest, a->out, a->in);
}

/* Plans the step and appends it to the run. */
static void end(lowering *l)
{
    nest_plan(&l->step.nest);
    lab__run_step(l->run, go_nest, &l->step, sizeof l->step);
}

/* Every input has the output's axes. */
static void elementwise(lowering *l)
{
    nest *n = begin(l, NEST_MAP, l->node->op, l->data[0]);
    for (int k = 1; k < l->node->n_operands; k++) l->step.in[k] = l->data[k];
    for (int i = 0; i < l->node->shape.rank; i++) {
        int64_t stride[NEST_INPUTS] = {0};
        for (int k = 0; k < l->node->n_operands; k++) stride[k] = l->in[k].stride[i];
        nest_loop_add(n, l->node->shape.size[i], 0, l->out->stride[i], stride[0], stride[1],
                      stride[2]);
    }
    end(l);
}

/* Broadcast, transpose, slice and reverse. */
static void moved(lowering *l)
{
    lab_moved from[LAB_RANK];
    int64_t stride[LAB_RANK] = {0};
    nest *n = begin(l, NEST_MAP, LAB_COPY, l->data[0]);
    lab_moved_axes(from, l->node);
    for (int a = 0; a < operand_shape(l, 0).rank; a++) {
        n->in_at[0] += from[a].first * l->in[0].stride[a];
        stride[from[a].axis] += from[a].step * l->in[0].stride[a];
    }
    for (int i = 0; i < l->node->shape.rank; i++)
        nest_loop_add(n, l->node->shape.size[i], 0, l->out->stride[i], stride[i], 0, 0);
    end(l);
}

/* The part of the output that operand k fills, with its element 0 at index at[axis]. */
static void placed(lowering *l, int k, const int *at)
{
    const int rank = l->node->shape.rank;
    const lab_shape part = operand_shape(l, k);
    int64_t low[LAB_RANK], n[LAB_RANK];
    for (int i = 0; i < rank; i++) {
        const int64_t end = l->node->shape.size[i], last = (int64_t)at[i] + part.size[i];
        low[i] = at[i] > 0 ? at[i] : 0;
        n[i] = (last < end ? last : end) - low[i];
        if (n[i] < 1) return;
    }
    nest *loops = begin(l, NEST_MAP, LAB_COPY, l->data[k]);
    for (int i = 0; i < rank; i++) {
        const lab_view *in = &l->in[k];
        loops->out_at += low[i] * l->out->stride[i];
        loops->in_at[0] += (low[i] - at[i]) * in->stride[i];
        nest_loop_add(loops, n[i], 0, l->out->stride[i], in->stride[i], 0, 0);
    }
    end(l);
}

static void concatenate(lowering *l)
{
    int at[LAB_RANK] = {0};
    const int axis = l->node->dims[0];
    for (int k = 0; k < l->node->n_operands; k++) {
        placed(l, k, at);
        at[axis] += operand_shape(l, k).size[axis];
    }
}

/* One number everywhere, or the index along one axis. */
static void spread(lowering *l, const float *from, int axis)
{
    nest *n = begin(l, NEST_MAP, LAB_COPY, from);
    for (int i = 0; i < l->node->shape.rank; i++)
        nest_loop_add(n, l->node->shape.size[i], 0, l->out->stride[i], i == axis, 0, 0);
    end(l);
}

static void pad(lowering *l)
{
    int at[LAB_RANK];
    for (int i = 0; i < LAB_RANK; i++) at[i] = l->node->window[i].low;
    spread(l, l->data[1], -1);
    placed(l, 0, at);
}

static void reshape(lowering *l)
{
    lab_reshape_axis axes[LAB_RESHAPE_AXES];
    const int count = lab_reshape_axes(axes, l->node->shape, l->out, operand_shape(l, 0), l->in);
    if (!count) return;
    nest *n = begin(l, NEST_MAP, LAB_COPY, l->data[0]);
    for (int i = 0; i < count; i++)
        nest_loop_add(n, axes[i].size, 0, axes[i].out, axes[i].in, 0, 0);
    end(l);
}

/* ---- with a reduction ---- */

/* The bounds of one axis of operand 0 under the window of an index and the next one; their loops
   are the last two. */
static void window(nest *n, const lowering *l, const tpugraphs_index *x)
{
    const lab_window *w = &l->node->window[x->window - 1];
    const int64_t size = operand_shape(l, 0).size[x->in[0]];
    const int loop = n->n_loops - 2;
    n->window[n->n_windows++] =
        (nest_window){{loop, loop + 1},
                      {w->stride, w->reversed ? -w->dilation : w->dilation},
                      (w->reversed ? (int64_t)(w->size - 1) * w->dilation : 0) - w->low,
                      (size - 1) * w->base_dilation + 1,
                      w->base_dilation,
                      l->in[0].stride[x->in[0]]};
}

/* The loops over groups and over the features of a group; next: the features of a group that are
   read. */
static void feature_loops(nest *n, const lowering *l, const tpugraphs_index *x)
{
    const int groups = l->node->conv.groups, gives = l->node->shape.size[x->axis] / groups;
    const int64_t to = l->out->stride[x->axis], kernel = l->in[1].stride[x->in[1]];
    const int64_t group = l->in[0].stride[x->in[0]] * (int64_t)x[1].size;
    nest_loop_add(n, groups, 0, gives * to, group, gives * kernel, 0);
    nest_loop_add(n, gives, 0, to, 0, kernel, 0);
}

/* A loop for each index. Windows bound operand 0, which their loops do not move. */
static void loops(nest *n, const lowering *l, const tpugraphs_index *x)
{
    int64_t stride[2] = {0};
    for (int k = 0; k < 2; k++)
        if (x->in[k] >= 0 && (k || !x->window)) stride[k] = l->in[k].stride[x->in[k]];
    if (x->split)
        feature_loops(n, l, x);
    else if (x->sum)
        nest_loop_add(n, (int)x->size, 1, 0, stride[0], stride[1], 0);
    else
        nest_loop_add(n, l->node->shape.size[x->axis], 0, l->out->stride[x->axis], stride[0],
                      stride[1], 0);
    if (x->window && x->sum) window(n, l, x - 1);
}

/* Reduce, reduce-window, dot and convolution. */
static void reduction(lowering *l)
{
    const lab_node *node = l->node;
    const int product = node->op == LAB_DOT || node->op == LAB_CONVOLUTION;
    const tpugraphs_space s = lab_space(l->run->p, (int)(node - l->run->p->nodes));
    const nest_kind kind = product ? NEST_DOT : node->reducer == LAB_MAX ? NEST_MAX : NEST_SUM;
    nest *n = begin(l, kind, node->op, l->data[0]);
    if (product) l->step.in[1] = l->data[1];
    for (int i = 0; i < s.n; i++) loops(n, l, &s.index[i]);
    end(l);
}

void lab__run_node(lab_run *run, int node, const float *const *data, const lab_view *in)
{
    const lab_value *value = &run->value[node];
    lowering l = {run, &run->p->nodes[node], value->home, &value->view, in, data, {0}};
    switch (l.node->op) {
    case LAB_IOTA: spread(&l, run->ramp, l.node->dims[0]); break;
    case LAB_RESHAPE: reshape(&l); break;
    case LAB_CONCATENATE: concatenate(&l); break;
    case LAB_PAD: pad(&l); break;
    case LAB_BROADCAST:
    case LAB_TRANSPOSE:
    case LAB_SLICE:
    case LAB_REVERSE: moved(&l); break;
    case LAB_REDUCE:
    case LAB_REDUCE_WINDOW:
    case LAB_DOT:
    case LAB_CONVOLUTION: reduction(&l); break;
    default: elementwise(&l); break;
    }
}

void lab__run_copy(lab_run *run, lab_shape shape, float *out, const lab_view *to, const float *data,
                   const lab_view *from)
{
    const lab_node copy = {.op = LAB_COPY, .shape = shape, .n_operands = 1};
    lowering l = {run, &copy, out, to, from, &data, {0}};
    elementwise(&l);
}
