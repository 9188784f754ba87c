/* SPDX-License-Identifier: MIT */
/* The nests of each op. */
#include "examples/lab/run/run_internal.h"

#include <string.h>

/* A node, where it is written, and its operands as it reads them. */
typedef struct lowering {
    lab_run *run;
    const lab_node *node;
    const lab_value *out, *in;
    lab_nest_args step; /* which is being described */
} lowering;

static lab_shape operand_shape(const lowering *l, int k)
{
    return l->run->p->nodes[l->node->operand[k]].shape;
}

void lab_view_row_major(lab_view *view, lab_shape shape)
{
    memset(view, 0, sizeof *view);
    lab_strides(view->stride, shape.size, shape.rank);
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
    l->step = (lab_nest_args){.out = l->out->home, .in = {in}};
    l->step.nest =
        (nest){.kind = kind, .op = op, .type = l->node->shape.type, .rule = l->run->rule};
    return &l->step.nest;
}

static void go_nest(const void *args)
{
    const lab_nest_args *step = args;
    nest_run(&step->nest, step->out, step->in);
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
    const int64_t *stride[NEST_INPUTS];
    nest *n = begin(l, NEST_MAP, l->node->op, l->in[0].data);
    for (int k = 0; k < l->node->n_operands; k++) {
        l->step.in[k] = l->in[k].data;
        stride[k] = l->in[k].view.stride;
    }
    nest_axes_add(n, l->node->shape.rank, l->node->shape.size, l->out->view.stride, stride,
                  l->node->n_operands);
    end(l);
}

/* Copies `size` elements along the axes of the output, from its element `at` on. */
static void copy(lowering *l, int64_t at, const int *size, const float *from, const int64_t *stride)
{
    nest *n = begin(l, NEST_MAP, LAB_COPY, from);
    n->out_at = at;
    nest_axes_add(n, l->node->shape.rank, size, l->out->view.stride, &stride, 1);
    end(l);
}

/* Broadcast, transpose, slice and reverse. */
static void moved(lowering *l)
{
    lab_moved from[LAB_RANK];
    const int64_t *in = l->in[0].view.stride;
    int64_t at = 0, stride[LAB_RANK] = {0};
    lab_moved_axes(from, l->node);
    for (int a = 0; a < operand_shape(l, 0).rank; a++) {
        at += from[a].first * in[a];
        stride[from[a].axis] += from[a].step * in[a];
    }
    copy(l, 0, l->node->shape.size, l->in[0].data + at, stride);
}

static void concatenate(lowering *l)
{
    const int axis = l->node->dims[0];
    int64_t at = 0;
    for (int k = 0; k < l->node->n_operands; k++) {
        const lab_shape part = operand_shape(l, k);
        copy(l, at, part.size, l->in[k].data, l->in[k].view.stride);
        at += part.size[axis] * l->out->view.stride[axis];
    }
}

/* One number everywhere, or the index along one axis. */
static void spread(lowering *l, const float *from, int axis)
{
    int64_t stride[LAB_RANK] = {0};
    if (axis >= 0) stride[axis] = 1;
    copy(l, 0, l->node->shape.size, from, stride);
}

static void pad(lowering *l)
{
    const lab_shape part = operand_shape(l, 0);
    int64_t at = 0;
    for (int i = 0; i < part.rank; i++) at += l->node->window[i].low * l->out->view.stride[i];
    spread(l, l->in[1].data, -1);
    copy(l, at, part.size, l->in[0].data, l->in[0].view.stride);
}

static void reshape(lowering *l)
{
    lab_reshape_axis axes[LAB_RESHAPE_AXES];
    const int count =
        lab_reshape_axes(axes, l->node->shape, &l->out->view, operand_shape(l, 0), &l->in->view);
    if (!count) return;
    nest *n = begin(l, NEST_MAP, LAB_COPY, l->in[0].data);
    for (int i = 0; i < count; i++)
        nest_loop_add(n, axes[i].size, 0, axes[i].out, axes[i].in, 0, 0);
    end(l);
}

/* Rows of a table by number: out[i, j] = table[rows[i], j], with the numbers clamped to the
   table. */
typedef struct gather_step {
    float *out;
    const float *table, *rows;
    int64_t n, width, height; /* rows of the result, elements of a row, rows of the table */
    lab_view to, from;
    int64_t step; /* of the numbers */
} gather_step;

static void go_gather(const void *args)
{
    const gather_step *g = args;
    const int64_t *to = g->to.stride, *from = g->from.stride;
    const int by_row = to[1] <= to[0];
    const int64_t outer = by_row ? g->n : g->width, inner = by_row ? g->width : g->n;
    for (int64_t i = 0; i < outer; i++)
        for (int64_t j = 0; j < inner; j++) {
            const int64_t row = by_row ? i : j, element = by_row ? j : i;
            const float wanted = g->rows[row * g->step];
            const float last = (float)(g->height - 1);
            const int64_t at = wanted > 0 ? (int64_t)(wanted < last ? wanted : last) : 0;
            g->out[row * to[0] + element * to[1]] = g->table[at * from[0] + element * from[1]];
        }
}

static void gather(const lowering *l)
{
    const int *size = l->node->shape.size;
    const lab_value *table = &l->in[0], *rows = &l->in[1];
    const gather_step step = {l->out->home, table->data, rows->data,
                              size[0],      size[1],     operand_shape(l, 0).size[0],
                              l->out->view, table->view, rows->view.stride[0]};
    lab__run_step(l->run, go_gather, &step, sizeof step);
}

/* Reduce, reduce-window, dot and convolution. Windows bound operand 0. */
static void reduction(lowering *l)
{
    const lab_node *node = l->node;
    const lab_shape x = operand_shape(l, 0);
    const tpugraphs_space s = lab_space(l->run->p, (int)(node - l->run->p->nodes));
    const int groups = node->conv.groups;
    int sum[LAB_RANK];
    nest *n = begin(l, nest_node_kind(node), node->op, l->in[0].data);
    nest_reduction r = {.node = node,
                        .space = &s,
                        .out = node->shape.size,
                        .sum = sum,
                        .to = l->out->view.stride,
                        .from = {l->in[0].view.stride, l->in[1].view.stride},
                        .groups = groups,
                        .each = groups ? node->shape.size[node->conv.out_feature] / groups : 0,
                        .bounds = x.size};
    lab_sum_axes(sum, l->run->p, (int)(node - l->run->p->nodes));
    if (n->kind == NEST_DOT) l->step.in[1] = l->in[1].data;
    nest_reduction_add(n, &r);
    end(l);
}

void lab__run_node(lab_run *run, int node, const lab_value *in)
{
    lowering l = {run, &run->p->nodes[node], &run->value[node], in, {0}};
    switch (l.node->op) {
    case LAB_IOTA: spread(&l, run->ramp, l.node->dims[0]); break;
    case LAB_RESHAPE: reshape(&l); break;
    case LAB_CONCATENATE: concatenate(&l); break;
    case LAB_PAD: pad(&l); break;
    case LAB_GATHER: gather(&l); break;
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

void lab__run_copy(lab_run *run, lab_shape shape, const lab_value *to, const lab_value *from)
{
    const lab_node copy = {.op = LAB_COPY, .shape = shape, .n_operands = 1};
    lowering l = {run, &copy, to, from, {0}};
    elementwise(&l);
}
