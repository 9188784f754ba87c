/* SPDX-License-Identifier: MIT */
/* Nests of the ops that move elements or map them. */
#include "examples/lab/run/lower_internal.h"

#include <string.h>

void lab_view_row_major(lab_view *view, lab_shape shape)
{
    int64_t stride = 1;
    memset(view, 0, sizeof *view);
    for (int i = shape.rank - 1; i >= 0; i--) {
        view->stride[i] = stride;
        stride *= shape.size[i];
    }
}

lab_piece *lab__piece(lab__lowering *l, nest_kind kind, lab_op op)
{
    lab_piece *piece = &l->pieces[l->n++];
    nest_begin(&piece->nest, kind, op, l->node->shape.type);
    piece->nest.rule = l->rule;
    for (int k = 0; k < NEST_INPUTS; k++) piece->from[k] = -1;
    return piece;
}

/* Every input has the output's axes. */
static void elementwise(lab__lowering *l)
{
    lab_piece *piece = lab__piece(l, NEST_MAP, l->node->op);
    for (int k = 0; k < l->node->n_operands; k++) piece->from[k] = k;
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

static void move(lab__lowering *l, const moved_axis *from)
{
    lab_piece *piece = lab__piece(l, NEST_MAP, LAB_COPY);
    piece->from[0] = 0;
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

static void moved(lab__lowering *l)
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
static void placed(lab__lowering *l, int k, const int *at)
{
    const int *size = l->p->nodes[l->node->operand[k]].shape.size, rank = l->node->shape.rank;
    int64_t low[LAB_RANK], n[LAB_RANK];
    for (int i = 0; i < rank; i++) {
        const int64_t end = l->node->shape.size[i], last = (int64_t)at[i] + size[i];
        low[i] = at[i] > 0 ? at[i] : 0;
        n[i] = (last < end ? last : end) - low[i];
        if (n[i] < 1) return;
    }
    lab_piece *piece = lab__piece(l, NEST_MAP, LAB_COPY);
    piece->from[0] = k;
    for (int i = 0; i < rank; i++) {
        const lab_view *in = &l->in[k];
        piece->nest.out_at += low[i] * l->out->stride[i];
        piece->nest.in_at[0] += (low[i] - at[i]) * in->stride[i];
        nest_loop_add(&piece->nest, n[i], 0, l->out->stride[i], in->stride[i], 0, 0);
    }
    nest_plan(&piece->nest);
}

static void concatenate(lab__lowering *l)
{
    int at[LAB_RANK] = {0};
    const int axis = l->node->dims[0];
    for (int k = 0; k < l->node->n_operands; k++) {
        placed(l, k, at);
        at[axis] += l->p->nodes[l->node->operand[k]].shape.size[axis];
    }
}

/* One number everywhere, or the index along one axis. */
static void spread(lab__lowering *l, int from, int axis)
{
    lab_piece *piece = lab__piece(l, NEST_MAP, LAB_COPY);
    piece->from[0] = from;
    for (int i = 0; i < l->node->shape.rank; i++)
        nest_loop_add(&piece->nest, l->node->shape.size[i], 0, l->out->stride[i], i == axis, 0, 0);
    nest_plan(&piece->nest);
}

static void pad(lab__lowering *l)
{
    int at[LAB_RANK];
    for (int i = 0; i < LAB_RANK; i++) at[i] = l->node->window[i].low;
    spread(l, 1, -1);
    placed(l, 0, at);
}

static void reshape(lab__lowering *l)
{
    lab_reshape_axis axes[LAB_RESHAPE_AXES];
    const int n = lab_reshape_axes(axes, l->node->shape, l->out,
                                   l->p->nodes[l->node->operand[0]].shape, l->in);
    if (!n) return;
    lab_piece *piece = lab__piece(l, NEST_MAP, LAB_COPY);
    piece->from[0] = 0;
    for (int i = 0; i < n; i++)
        nest_loop_add(&piece->nest, axes[i].size, 0, axes[i].out, axes[i].in, 0, 0);
    nest_plan(&piece->nest);
}

int lab_lower(lab_piece pieces[LAB_PIECES], const lab_program *p, int node, const lab_view *out,
              const lab_view *in, tpugraphs_rule rule)
{
    lab__lowering l = {p, &p->nodes[node], out, in, rule, pieces, 0};
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
    case LAB_CONVOLUTION: lab__lower_sum(&l); break;
    default: elementwise(&l); break;
    }
    return l.n;
}
