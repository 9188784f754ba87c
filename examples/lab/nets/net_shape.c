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

/* Equal constants and equal broadcasts are shared, as compilers do. */
static int find_constant(const lab_program *p, float value)
{
    for (int i = 0; i < p->n; i++)
        if (p->nodes[i].op == LAB_CONSTANT && !(p->nodes[i].value < value) &&
            !(p->nodes[i].value > value))
            return i;
    return -1;
}

static int find_fill(const lab_program *p, int constant, lab_shape like)
{
    for (int i = constant; i < p->n; i++)
        if (p->nodes[i].op == LAB_BROADCAST && p->nodes[i].operand[0] == constant &&
            lab__same_shape(p->nodes[i].shape, like))
            return i;
    return -1;
}

int lab_net_fill(lab_net *net, float value, lab_shape like)
{
    lab_program *p = net->p;
    int constant = find_constant(p, value);
    if (constant < 0) constant = lab_constant(p, value);
    if (like.rank == 0) return constant;
    int fill = find_fill(p, constant, like);
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
