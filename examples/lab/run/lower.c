/* SPDX-License-Identifier: MIT */
/* The nests of each op. */
#include "examples/lab/run/lower.h"

#include <string.h>

typedef struct lowering {
    const lab_program *p;
    const lab_node *node;
    const lab_view *out, *in;
    tpugraphs_rule rule;
    lab_piece *pieces;
    int n; /* pieces so far */
} lowering;

void lab_view_row_major(lab_view *view, lab_shape shape)
{
    int64_t stride = 1;
    memset(view, 0, sizeof *view);
    for (int i = shape.rank - 1; i >= 0; i--) {
        view->stride[i] = stride;
        stride *= shape.size[i];
    }
}

/* The next piece, without loops; input 0 is `from`, and there are no others. */
static lab_piece *add_piece(lowering *l, nest_kind kind, lab_op op, int from)
{
    lab_piece *piece = &l->pieces[l->n++];
    nest_begin(&piece->nest, kind, op, l->node->shape.type);
    piece->nest.rule = l->rule;
    for (int k = 0; k < NEST_INPUTS; k++) piece->from[k] = k ? -1 : from;
    return piece;
}

/* Every input has the output's axes. */
static void elementwise(lowering *l)
{
    lab_piece *piece = add_piece(l, NEST_MAP, l->node->op, 0);
    for (int k = 1; k < l->node->n_operands; k++) piece->from[k] = k;
    for (int i = 0; i < l->node->shape.rank; i++) {
        int64_t stride[NEST_INPUTS] = {0};
        for (int k = 0; k < l->node->n_operands; k++) stride[k] = l->in[k].stride[i];
        nest_loop_add(&piece->nest, l->node->shape.size[i], 0, l->out->stride[i], stride[0],
                      stride[1], stride[2]);
    }
    nest_plan(&piece->nest);
}

/* A move in which axis i of the output reads axis `axis` of operand 0 (-1: none), from index
   `first` on, every `step`. */
typedef struct moved_axis {
    int axis;
    int64_t first, step;
} moved_axis;

static void move(lowering *l, const moved_axis *from)
{
    lab_piece *piece = add_piece(l, NEST_MAP, LAB_COPY, 0);
    for (int i = 0; i < l->node->shape.rank; i++) {
        int64_t stride = 0;
        if (from[i].axis >= 0) {
            stride = l->in[0].stride[from[i].axis];
            piece->nest.in_at[0] += from[i].first * stride;
            stride *= from[i].step;
        }
        nest_loop_add(&piece->nest, l->node->shape.size[i], 0, l->out->stride[i], stride, 0, 0);
    }
    nest_plan(&piece->nest);
}

static void moved(lowering *l)
{
    const lab_node *node = l->node;
    moved_axis from[LAB_RANK];
    for (int i = 0; i < LAB_RANK; i++) from[i] = (moved_axis){i, 0, 1};
    if (node->op == LAB_BROADCAST) {
        for (int i = 0; i < LAB_RANK; i++) from[i].axis = -1;
        for (int i = 0; i < node->n_dims; i++) from[node->dims[i]].axis = i;
    }
    for (int i = 0; node->op == LAB_TRANSPOSE && i < node->n_dims; i++)
        from[i].axis = node->dims[i];
    for (int i = 0; node->op == LAB_SLICE && i < node->shape.rank; i++)
        from[i] = (moved_axis){i, node->start[i], node->stride[i]};
    for (int i = 0; node->op == LAB_REVERSE && i < node->n_dims; i++)
        from[node->dims[i]] = (moved_axis){node->dims[i], node->shape.size[node->dims[i]] - 1, -1};
    move(l, from);
}

/* The part of the output that operand k fills, with its element 0 at index at[axis]. */
static void placed(lowering *l, int k, const int *at)
{
    const int *size = l->p->nodes[l->node->operand[k]].shape.size, rank = l->node->shape.rank;
    int64_t low[LAB_RANK], n[LAB_RANK];
    for (int i = 0; i < rank; i++) {
        const int64_t end = l->node->shape.size[i], last = (int64_t)at[i] + size[i];
        low[i] = at[i] > 0 ? at[i] : 0;
        n[i] = (last < end ? last : end) - low[i];
        if (n[i] < 1) return;
    }
    lab_piece *piece = add_piece(l, NEST_MAP, LAB_COPY, k);
    for (int i = 0; i < rank; i++) {
        const lab_view *in = &l->in[k];
        piece->nest.out_at += low[i] * l->out->stride[i];
        piece->nest.in_at[0] += (low[i] - at[i]) * in->stride[i];
        nest_loop_add(&piece->nest, n[i], 0, l->out->stride[i], in->stride[i], 0, 0);
    }
    nest_plan(&piece->nest);
}

static void concatenate(lowering *l)
{
    int at[LAB_RANK] = {0};
    const int axis = l->node->dims[0];
    for (int k = 0; k < l->node->n_operands; k++) {
        placed(l, k, at);
        at[axis] += l->p->nodes[l->node->operand[k]].shape.size[axis];
    }
}

/* One number everywhere, or the index along one axis. */
static void spread(lowering *l, int from, int axis)
{
    lab_piece *piece = add_piece(l, NEST_MAP, LAB_COPY, from);
    for (int i = 0; i < l->node->shape.rank; i++)
        nest_loop_add(&piece->nest, l->node->shape.size[i], 0, l->out->stride[i], i == axis, 0, 0);
    nest_plan(&piece->nest);
}

static void pad(lowering *l)
{
    int at[LAB_RANK];
    for (int i = 0; i < LAB_RANK; i++) at[i] = l->node->window[i].low;
    spread(l, 1, -1);
    placed(l, 0, at);
}

static void reshape(lowering *l)
{
    lab_reshape_axis axes[LAB_RESHAPE_AXES];
    const int n = lab_reshape_axes(axes, l->node->shape, l->out,
                                   l->p->nodes[l->node->operand[0]].shape, l->in);
    if (!n) return;
    lab_piece *piece = add_piece(l, NEST_MAP, LAB_COPY, 0);
    for (int i = 0; i < n; i++)
        nest_loop_add(&piece->nest, axes[i].size, 0, axes[i].out, axes[i].in, 0, 0);
    nest_plan(&piece->nest);
}

/* ---- with a reduction ---- */

/* The bounds of one axis of operand 0 under the window of an index and the next one; their loops
   are the last two. */
static void window(lab_piece *piece, const lowering *l, const tpugraphs_index *x)
{
    const lab_window *w = &l->node->window[x->window - 1];
    const int64_t size = l->p->nodes[l->node->operand[0]].shape.size[x->in[0]];
    const int loop = piece->nest.n_loops - 2;
    nest_window_add(&piece->nest,
                    (nest_window){{loop, loop + 1},
                                  {w->stride, w->reversed ? -w->dilation : w->dilation},
                                  (w->reversed ? (int64_t)(w->size - 1) * w->dilation : 0) - w->low,
                                  (size - 1) * w->base_dilation + 1,
                                  w->base_dilation,
                                  l->in[0].stride[x->in[0]]});
}

/* The loops over groups and over the features of a group; next: the features of a group that are
   read. */
static void feature_loops(lab_piece *piece, const lowering *l, const tpugraphs_index *x)
{
    const int groups = l->node->conv.groups, gives = l->node->shape.size[x->axis] / groups;
    const int64_t to = l->out->stride[x->axis], kernel = l->in[1].stride[x->in[1]];
    const int64_t group = l->in[0].stride[x->in[0]] * (int64_t)x[1].size;
    nest_loop_add(&piece->nest, groups, 0, gives * to, group, gives * kernel, 0);
    nest_loop_add(&piece->nest, gives, 0, to, 0, kernel, 0);
}

/* A loop for each index. Windows bound operand 0, which their loops do not move. */
static void loops(lab_piece *piece, const lowering *l, const tpugraphs_index *x)
{
    int64_t stride[2] = {0};
    for (int k = 0; k < 2; k++)
        if (x->in[k] >= 0 && (k || !x->window)) stride[k] = l->in[k].stride[x->in[k]];
    if (x->split)
        feature_loops(piece, l, x);
    else if (x->sum)
        nest_loop_add(&piece->nest, (int)x->size, 1, 0, stride[0], stride[1], 0);
    else
        nest_loop_add(&piece->nest, l->node->shape.size[x->axis], 0, l->out->stride[x->axis],
                      stride[0], stride[1], 0);
    if (x->window && x->sum) window(piece, l, x - 1);
}

/* Reduce, reduce-window, dot and convolution. */
static void reduction(lowering *l)
{
    const lab_node *node = l->node;
    const int product = node->op == LAB_DOT || node->op == LAB_CONVOLUTION;
    const tpugraphs_space s = lab_space(l->p, (int)(node - l->p->nodes));
    const nest_kind kind = product ? NEST_DOT : node->reducer == LAB_MAX ? NEST_MAX : NEST_SUM;
    lab_piece *piece = add_piece(l, kind, node->op, 0);
    if (product) piece->from[1] = 1;
    for (int i = 0; i < s.n; i++) loops(piece, l, &s.index[i]);
    nest_plan(&piece->nest);
}

int lab_lower(lab_piece pieces[LAB_PIECES], const lab_program *p, int node, const lab_view *out,
              const lab_view *in, tpugraphs_rule rule)
{
    lowering l = {p, &p->nodes[node], out, in, rule, pieces, 0};
    switch (l.node->op) {
    case LAB_PARAMETER:
    case LAB_CONSTANT:
    case LAB_GATHER: break;
    case LAB_IOTA: spread(&l, LAB_RAMP, l.node->dims[0]); break;
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
    return l.n;
}
