/* SPDX-License-Identifier: MIT */
/* The builders, which append one node each. */
#include "examples/lab/program/program_internal.h"

#include <string.h>

static int put(lab_program *p, lab_node node, int n, const int *x)
{
    node.n_operands = n;
    if (n) memcpy(node.operand, x, sizeof *x * (size_t)n);
    return lab__append(p, &node, NULL, 0);
}

static lab_node with_dims(lab_op op, int n, const int *dims)
{
    lab_node node = {.op = op, .n_dims = n};
    if (n > 0) memcpy(node.dims, dims, sizeof *dims * (size_t)n);
    return node;
}

static lab_node shaped(lab_node node, lab_type type, int rank, const int *size)
{
    node.shape = (lab_shape){.type = type, .rank = rank};
    if (rank > 0 && rank <= LAB_RANK) memcpy(node.shape.size, size, sizeof *size * (size_t)rank);
    return node;
}

lab_shape lab_shape_of(const lab_program *p, int x)
{
    return p->why.status || x < 0 || x >= p->n ? (lab_shape){.type = LAB_F32} : p->nodes[x].shape;
}

int lab_parameter(lab_program *p, lab_type type, int rank, const int *size)
{
    return put(p, shaped((lab_node){.op = LAB_PARAMETER}, type, rank, size), 0, NULL);
}

int lab_constant(lab_program *p, float value)
{
    return put(p, (lab_node){.op = LAB_CONSTANT, .value = value}, 0, NULL);
}

int lab_iota(lab_program *p, int axis, int rank, const int *size)
{
    return put(p, shaped(with_dims(LAB_IOTA, 1, &axis), LAB_S32, rank, size), 0, NULL);
}

int lab_broadcast(lab_program *p, int x, const int *dims, int rank, const int *size)
{
    const lab_shape from = lab_shape_of(p, x);
    return put(p, shaped(with_dims(LAB_BROADCAST, from.rank, dims), from.type, rank, size), 1, &x);
}

int lab_reshape(lab_program *p, int x, int rank, const int *size)
{
    return put(p, shaped((lab_node){.op = LAB_RESHAPE}, lab_shape_of(p, x).type, rank, size), 1,
               &x);
}

int lab_transpose(lab_program *p, int x, const int *dims)
{
    return put(p, with_dims(LAB_TRANSPOSE, lab_shape_of(p, x).rank, dims), 1, &x);
}

int lab_unary(lab_program *p, lab_op op, int x) { return put(p, (lab_node){.op = op}, 1, &x); }

int lab_binary(lab_program *p, lab_op op, int a, int b)
{
    return put(p, (lab_node){.op = op}, 2, (const int[]){a, b});
}

int lab_convert(lab_program *p, int x, lab_type type)
{
    return put(p, (lab_node){.op = LAB_CONVERT, .shape.type = type}, 1, &x);
}

int lab_ternary(lab_program *p, lab_op op, int a, int b, int c)
{
    return put(p, (lab_node){.op = op}, 3, (const int[]){a, b, c});
}

int lab_concatenate(lab_program *p, int n, const int *x, int axis)
{
    return put(p, with_dims(LAB_CONCATENATE, 1, &axis), n, x);
}

int lab_slice(lab_program *p, int x, const int *start, const int *limit, const int *stride)
{
    lab_node node = {.op = LAB_SLICE};
    for (int i = 0; i < lab_shape_of(p, x).rank; i++) {
        node.start[i] = start[i];
        node.limit[i] = limit[i];
        node.stride[i] = stride ? stride[i] : 1;
    }
    return put(p, node, 1, &x);
}

int lab_pad(lab_program *p, int x, int value, const int *low, const int *high)
{
    lab_node node = {.op = LAB_PAD};
    for (int i = 0; i < lab_shape_of(p, x).rank; i++) {
        node.window[i].low = low[i];
        node.window[i].high = high[i];
    }
    return put(p, node, 2, (const int[]){x, value});
}

int lab_reverse(lab_program *p, int x, int n, const int *dims)
{
    return put(p, with_dims(LAB_REVERSE, n, dims), 1, &x);
}

int lab_reduce(lab_program *p, int x, lab_reducer reducer, int n, const int *dims)
{
    lab_node node = with_dims(LAB_REDUCE, n, dims);
    node.reducer = reducer;
    return put(p, node, 1, &x);
}

int lab_reduce_window(lab_program *p, int x, lab_reducer reducer, const lab_window *window)
{
    lab_node node = {.op = LAB_REDUCE_WINDOW, .reducer = reducer};
    for (int i = 0; i < lab_shape_of(p, x).rank; i++) node.window[i] = window[i];
    return put(p, node, 1, &x);
}

int lab_dot(lab_program *p, int a, int b, lab_dot_dims dims)
{
    return put(p, (lab_node){.op = LAB_DOT, .dot = dims}, 2, (const int[]){a, b});
}

int lab_convolution(lab_program *p, int x, int kernel, lab_conv_dims dims, const lab_window *window)
{
    lab_node node = {.op = LAB_CONVOLUTION, .conv = dims};
    for (int i = 0; i < dims.spatial && i < 3; i++) node.window[i] = window[i];
    return put(p, node, 2, (const int[]){x, kernel});
}

int lab_gather(lab_program *p, int x, int rows)
{
    return put(p, (lab_node){.op = LAB_GATHER}, 2, (const int[]){x, rows});
}
