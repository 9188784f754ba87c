/* SPDX-License-Identifier: MIT */
/* Values and shapes: constants spread over a shape, slices and sums. */
#include "examples/lab/nets/net.h"
#include "examples/lab/program/program_internal.h"

int lab_net_input(lab_net *net, int rank, const int *size)
{
    return lab_parameter(net->p, LAB_F32, rank, size);
}

int lab_net_rows(lab_net *net, int count, int words, int width)
{
    int table = lab_net_input(net, 2, (int[]){words, width});
    return lab_gather(net->p, table, lab_parameter(net->p, LAB_S32, 1, &count));
}

/* The constant, or the broadcast of `operand`, that is there already; -1: none is. They are shared,
   as compilers do. */
static int find(const lab_program *p, lab_op op, float value, int operand, lab_shape shape)
{
    for (int i = 0; i < p->n; i++) {
        const lab_node *v = &p->nodes[i];
        if (v->op == op && !(v->value < value) && !(v->value > value) && v->operand[0] == operand &&
            lab__same_shape(v->shape, shape))
            return i;
    }
    return -1;
}

int lab_net_fill(lab_net *net, float value, lab_shape like)
{
    lab_program *p = net->p;
    int constant = find(p, LAB_CONSTANT, value, 0, (lab_shape){.type = LAB_F32});
    if (constant < 0) constant = lab_constant(p, value);
    if (like.rank == 0) return constant;
    int fill = find(p, LAB_BROADCAST, 0, constant, like);
    return fill >= 0 ? fill : lab_broadcast(p, constant, NULL, like.rank, like.size);
}

int lab_net_scaled(lab_net *net, int x, float factor)
{
    return lab_binary(net->p, LAB_MULTIPLY, x, lab_net_fill(net, factor, lab_net_shape(net, x)));
}

int lab_net_plus(lab_net *net, int x, float term)
{
    return lab_binary(net->p, LAB_ADD, x, lab_net_fill(net, term, lab_net_shape(net, x)));
}

int lab_net_spread(lab_net *net, int x, int like, int axis)
{
    lab_shape s = lab_net_shape(net, like);
    int dims[LAB_RANK], kept = 0;
    for (int i = 0; i < s.rank; i++)
        if (i != axis) dims[kept++] = i;
    return lab_broadcast(net->p, x, dims, s.rank, s.size);
}

int lab_net_along(lab_net *net, int x, int like, int axis)
{
    lab_shape s = lab_net_shape(net, like);
    return lab_broadcast(net->p, x, &axis, s.rank, s.size);
}

int lab_net_flat(lab_net *net, int x, int rows)
{
    int size[2] = {rows, (int)(lab_elements(lab_net_shape(net, x)) / rows)};
    return lab_reshape(net->p, x, 2, size);
}

int lab_net_part(lab_net *net, int x, int axis, int start, int limit)
{
    lab_shape s = lab_net_shape(net, x);
    int from[LAB_RANK] = {0};
    from[axis] = start;
    s.size[axis] = limit;
    return lab_slice(net->p, x, from, s.size, NULL);
}

int lab_net_pair(lab_net *net, int a, int b, int axis)
{
    return lab_concatenate(net->p, 2, (int[]){a, b}, axis);
}
