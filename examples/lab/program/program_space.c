/* SPDX-License-Identifier: MIT */
/* The iteration spaces of nodes, and the work of a program. */
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

double lab_program_work(const lab_program *p)
{
    double work = 0;
    for (int i = 0; i < p->n; i++) {
        const lab_node *node = &p->nodes[i];
        int size[LAB_RANK];
        double each = node->op != LAB_PARAMETER && node->op != LAB_CONSTANT;
        const int n = lab_sum_axes(size, p, i);
        for (int a = 0; a < n; a++) each *= size[a];
        work += each * (double)lab_elements(node->shape);
    }
    return work;
}
