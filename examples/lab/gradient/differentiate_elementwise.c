/* SPDX-License-Identifier: MIT */
/* Gradients of the elementwise ops. y is the node's own value, x its operand's. */
#include "examples/lab/gradient/differentiate.h"

static int times(lab_backward *b, int u, int v) { return lab_binary(b->net.p, LAB_MULTIPLY, u, v); }

/* y * (1 - z) * g */
static int one_minus(lab_backward *b, int g, int y, int z)
{
    int ones = lab_net_fill(&b->net, 1, lab_net_shape(&b->net, z));
    int slope = lab_binary(b->net.p, LAB_SUBTRACT, ones, z);
    return times(b, g, y >= 0 ? times(b, y, slope) : slope);
}

/* The gradient of the operand; -1: it is not a unary op. */
static int unary(lab_backward *b, const lab_node *node, int y, int g)
{
    lab_program *p = b->net.p;
    int x = node->operand[0];
    switch (node->op) {
    case LAB_COPY: return g;
    case LAB_ABS: return times(b, g, lab_unary(p, LAB_SIGN, x));
    case LAB_EXPONENTIAL: return times(b, g, y);
    case LAB_LOG: return lab_binary(p, LAB_DIVIDE, g, x);
    case LAB_LOGISTIC: return one_minus(b, g, y, y);
    case LAB_NEGATE: return lab_unary(p, LAB_NEGATE, g);
    case LAB_RSQRT:
        return times(b, g, lab_binary(p, LAB_DIVIDE, lab_net_scaled(&b->net, y, -0.5f), x));
    case LAB_SQRT: return lab_binary(p, LAB_DIVIDE, lab_net_scaled(&b->net, g, 0.5f), y);
    case LAB_TANH: return one_minus(b, g, -1, times(b, y, y));
    default: return -1;
    }
}

static void divide(lab_backward *b, const lab_node *node, int y, int g)
{
    lab_program *p = b->net.p;
    int inverse = lab_binary(p, LAB_DIVIDE, g, node->operand[1]);
    lab_backward_add(b, node->operand[0], inverse);
    if (lab_backward_wants(b, node->operand[1]))
        lab_backward_add(b, node->operand[1], lab_unary(p, LAB_NEGATE, times(b, inverse, y)));
}

/* Adds g to u where `which` is 1, and to v elsewhere. */
static void part(lab_backward *b, int which, int u, int v, int g)
{
    int zero = lab_net_fill(&b->net, 0, lab_net_shape(&b->net, g));
    if (lab_backward_wants(b, u)) lab_backward_add(b, u, lab_select(b->net.p, which, g, zero));
    if (lab_backward_wants(b, v)) lab_backward_add(b, v, lab_select(b->net.p, which, zero, g));
}

static int binary(lab_backward *b, const lab_node *node, int y, int g)
{
    lab_program *p = b->net.p;
    int u = node->operand[0], v = node->operand[1];
    switch (node->op) {
    case LAB_ADD:
        lab_backward_add(b, u, g);
        lab_backward_add(b, v, g);
        return 1;
    case LAB_SUBTRACT:
        lab_backward_add(b, u, g);
        if (lab_backward_wants(b, v)) lab_backward_add(b, v, lab_unary(p, LAB_NEGATE, g));
        return 1;
    case LAB_MULTIPLY:
        if (lab_backward_wants(b, u)) lab_backward_add(b, u, times(b, g, v));
        if (lab_backward_wants(b, v)) lab_backward_add(b, v, times(b, g, u));
        return 1;
    case LAB_DIVIDE: divide(b, node, y, g); return 1;
    case LAB_MAXIMUM: part(b, lab_binary(p, LAB_COMPARE, u, v), u, v, g); return 1;
    case LAB_MINIMUM: part(b, lab_binary(p, LAB_COMPARE, v, u), u, v, g); return 1;
    default: return 0;
    }
}

int lab_backward_elementwise(lab_backward *b, const lab_node *node, int id, int g)
{
    if (node->op == LAB_SELECT) {
        part(b, node->operand[0], node->operand[1], node->operand[2], g);
        return 1;
    }
    int arity = lab_op_arity(node->op);
    if (arity == 2) return binary(b, node, id, g);
    int inner = arity == 1 ? unary(b, node, id, g) : -1;
    if (inner < 0) return 0;
    lab_backward_add(b, node->operand[0], inner);
    return 1;
}
