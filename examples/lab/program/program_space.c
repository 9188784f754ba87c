/* SPDX-License-Identifier: MIT */
/* The iteration spaces and moves of nodes, and the work of a program. */
#include "examples/lab/program/program.h"

tpugraphs_space lab_space(const lab_program *p, int node)
{
    const lab_node *v = &p->nodes[node];
    const lab_shape *x = v->n_operands > 0 ? &p->nodes[v->operand[0]].shape : NULL;
    const lab_shape *y = v->n_operands > 1 ? &p->nodes[v->operand[1]].shape : NULL;
    switch (v->op) {
    case LAB_REDUCE: return tpugraphs_reduce_space(v->dims, v->n_dims, x->size, x->rank);
    case LAB_REDUCE_WINDOW: return tpugraphs_window_space(v->window, v->shape.rank);
    case LAB_DOT: return tpugraphs_dot_space(v->dot, x->size, x->rank, y->rank);
    case LAB_CONVOLUTION: return tpugraphs_conv_space(&v->conv, v->window, y->size);
    default: return (tpugraphs_space){0};
    }
}

int lab_sum_axes(int size[LAB_RANK], const lab_program *p, int node)
{
    const tpugraphs_space s = lab_space(p, node);
    int n = 0;
    for (int i = 0; i < s.n; i++) {
        if (!s.index[i].sum) continue;
        size[s.index[i].axis] = (int)s.index[i].size;
        n++;
    }
    return n;
}

double lab_terms(const lab_program *p, int node)
{
    int size[LAB_RANK];
    const int n = lab_sum_axes(size, p, node);
    double terms = 1;
    for (int a = 0; a < n; a++) terms *= size[a];
    return terms;
}

void lab_moved_axes(lab_moved moved[LAB_RANK], const lab_node *node)
{
    for (int a = 0; a < LAB_RANK; a++) moved[a] = (lab_moved){a, 0, 1};
    for (int i = 0; i < node->n_dims; i++) {
        const int axis = node->dims[i];
        if (node->op == LAB_BROADCAST) moved[i].axis = axis;
        if (node->op == LAB_TRANSPOSE) moved[axis].axis = i;
        if (node->op == LAB_REVERSE)
            moved[axis] = (lab_moved){axis, node->shape.size[axis] - 1, -1};
    }
    for (int a = 0; node->op == LAB_SLICE && a < node->shape.rank; a++)
        moved[a] = (lab_moved){a, node->start[a], node->stride[a]};
}

double lab_program_work(const lab_program *p)
{
    double work = 0;
    for (int i = 0; i < p->n; i++) {
        const lab_node *node = &p->nodes[i];
        if (node->op != LAB_PARAMETER && node->op != LAB_CONSTANT)
            work += lab_terms(p, i) * (double)lab_elements(node->shape);
    }
    return work;
}
