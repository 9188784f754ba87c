/* SPDX-License-Identifier: MIT */
#include "examples/lab/gradient/differentiate.h"

#include "core/core.h"

#include <string.h>

int lab_backward_wants(const lab_backward *b, int node)
{
    return node >= 0 && node < b->nodes && b->needed[node];
}

void lab_backward_add(lab_backward *b, int node, int gradient)
{
    if (!lab_backward_wants(b, node)) return;
    int *sum = &b->gradient[node];
    *sum = *sum < 0 ? gradient : lab_binary(b->net.p, LAB_ADD, *sum, gradient);
}

/* Ops without a gradient: no rule is asked for them. */
static int is_constant(const lab_node *node)
{
    switch (node->op) {
    case LAB_COMPARE:
    case LAB_CONVERT:
    case LAB_SIGN:
    case LAB_NOT:
    case LAB_AND:
    case LAB_OR:
    case LAB_GATHER: return 1;
    case LAB_REDUCE: return node->reducer == LAB_MAX;
    default: return 0;
    }
}

/* Marks the nodes that depend on wrt: a node does when an operand does. */
static void mark(lab_backward *b, const int *wrt, int n)
{
    const lab_program *p = b->net.p;
    memset(b->needed, 0, (size_t)b->nodes);
    for (int i = 0; i < n; i++)
        if (wrt[i] >= 0 && wrt[i] < b->nodes) b->needed[wrt[i]] = 1;
    for (int i = 0; i < b->nodes; i++) {
        if (is_constant(&p->nodes[i])) continue;
        for (int k = 0; k < p->nodes[i].n_operands; k++)
            b->needed[i] |= b->needed[p->nodes[i].operand[k]];
    }
}

static void step_back(lab_backward *b, int id)
{
    lab_program *p = b->net.p;
    lab_node node = p->nodes[id];
    int g = b->gradient[id], inner = 0;
    for (int k = 0; k < node.n_operands; k++) inner |= lab_backward_wants(b, node.operand[k]);
    if (!inner || lab_backward_elementwise(b, &node, id, g) || lab_backward_shape(b, &node, g) ||
        lab_backward_product(b, &node, g))
        return;
    ag_fail(&p->why, AG_EUSE,
            "There is no gradient for node %d (%s) of program \"%s\"; build the net without it", id,
            lab_op_name(node.op), p->name);
}

static void walk(int *gradients, lab_backward *b, int loss, const int *wrt, int n)
{
    lab_program *p = b->net.p;
    mark(b, wrt, n);
    for (int i = 0; i < b->nodes; i++) b->gradient[i] = -1;
    lab_backward_add(b, loss, lab_net_fill(&b->net, 1, lab_net_shape(&b->net, loss)));
    for (int id = b->nodes - 1; id >= 0 && p->why.status == AG_OK; id--)
        if (b->gradient[id] >= 0) step_back(b, id);
    for (int i = 0; i < n && p->why.status == AG_OK; i++) {
        int known = wrt[i] >= 0 && wrt[i] < b->nodes && b->gradient[wrt[i]] >= 0;
        gradients[i] =
            known ? b->gradient[wrt[i]] : lab_net_fill(&b->net, 0, lab_net_shape(&b->net, wrt[i]));
    }
}

void lab_differentiate(int *gradients, lab_program *p, int loss, const int *wrt, int n)
{
    for (int i = 0; i < n; i++) gradients[i] = 0;
    if (p->why.status != AG_OK) return;
    lab_backward b = {.net = {.p = p}, .nodes = p->n};
    b.gradient = ag_alloc(sizeof(int) * ((size_t)p->n + 1));
    b.needed = ag_alloc((size_t)p->n + 1);
    if (!b.gradient || !b.needed)
        ag_fail(&p->why, AG_EMEMORY,
                "There is no memory for the gradients of %d nodes; close other programs", p->n);
    else if (loss < 0 || loss >= p->n || p->nodes[loss].shape.rank != 0)
        ag_fail(&p->why, AG_EUSE,
                "The loss must be a scalar node of program \"%s\" (0..%d); node %d is none",
                p->name, p->n - 1, loss);
    else
        walk(gradients, &b, loss, wrt, n);
    ag_free(b.gradient);
    ag_free(b.needed);
}
