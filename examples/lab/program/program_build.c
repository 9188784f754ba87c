/* SPDX-License-Identifier: MIT */
/* The builders, which append one node each. */
#include "examples/lab/program/program_internal.h"

#include <string.h>

static lab_node with_operands(lab_op op, int n, const int *x)
{
    lab_node node;
    memset(&node, 0, sizeof node);
    node.op = op;
    node.n_operands = n;
    if (n > 0 && n <= LAB_OPERANDS) memcpy(node.operand, x, sizeof *x * (size_t)n);
    return node;
}

/* Lists longer than LAB_RANK are left out; the number is refused later. */
static void put_dims(lab_node *node, int n, const int *dims)
{
    node->n_dims = n;
    if (n > 0 && n <= LAB_RANK) memcpy(node->dims, dims, sizeof *dims * (size_t)n);
}

static void put_shape(lab_node *node, lab_type type, int rank, const int *size)
{
    node->shape.type = type;
    node->shape.rank = rank;
    if (rank > 0 && rank <= LAB_RANK) memcpy(node->shape.size, size, sizeof *size * (size_t)rank);
}

static int put(lab_program *p, const lab_node *node) { return lab__append(p, node, NULL, 0); }

/* Rank and type of an operand whose lists have to be copied; 0 when there is no such node, which is
   refused later. */
static int rank_of(const lab_program *p, int x)
{
    return x >= 0 && x < p->n ? p->nodes[x].shape.rank : 0;
}
static lab_type type_of(const lab_program *p, int x)
{
    return x >= 0 && x < p->n ? p->nodes[x].shape.type : LAB_F32;
}

int lab_parameter(lab_program *p, lab_type type, int rank, const int *size)
{
    lab_node node = with_operands(LAB_PARAMETER, 0, NULL);
    put_shape(&node, type, rank, size);
    return put(p, &node);
}

int lab_constant(lab_program *p, float value)
{
    lab_node node = with_operands(LAB_CONSTANT, 0, NULL);
    node.value = value;
    return put(p, &node);
}

int lab_iota(lab_program *p, int axis, int rank, const int *size)
{
    lab_node node = with_operands(LAB_IOTA, 0, NULL);
    put_shape(&node, LAB_S32, rank, size);
    put_dims(&node, 1, &axis);
    return put(p, &node);
}

int lab_broadcast(lab_program *p, int x, const int *dims, int rank, const int *size)
{
    lab_node node = with_operands(LAB_BROADCAST, 1, &x);
    put_shape(&node, type_of(p, x), rank, size);
    put_dims(&node, rank_of(p, x), dims);
    return put(p, &node);
}

int lab_reshape(lab_program *p, int x, int rank, const int *size)
{
    lab_node node = with_operands(LAB_RESHAPE, 1, &x);
    put_shape(&node, type_of(p, x), rank, size);
    return put(p, &node);
}

int lab_transpose(lab_program *p, int x, const int *dims)
{
    lab_node node = with_operands(LAB_TRANSPOSE, 1, &x);
    put_dims(&node, rank_of(p, x), dims);
    return put(p, &node);
}

/* An elementwise op of the arity; others have builders of their own. */
static int elementwise(lab_program *p, lab_op op, int arity, const int *x)
{
    const lab_op_entry *entry = lab__op(op);
    lab_node node = with_operands(op, arity, x);
    if (entry && (entry->rule == LAB_RULE_OWN || entry->arity != arity)) {
        ag_fail(&p->why, AG_EUSE,
                "program %.63s, node %d: %s is no elementwise op of %d operands; it has a builder "
                "of its own",
                p->name, p->n, entry->name, arity);
        return 0;
    }
    return put(p, &node);
}

int lab_unary(lab_program *p, lab_op op, int x) { return elementwise(p, op, 1, &x); }

int lab_binary(lab_program *p, lab_op op, int a, int b)
{
    return elementwise(p, op, 2, (const int[]){a, b});
}

int lab_convert(lab_program *p, int x, lab_type type)
{
    lab_node node = with_operands(LAB_CONVERT, 1, &x);
    node.shape.type = type;
    return put(p, &node);
}

int lab_select(lab_program *p, int which, int a, int b)
{
    lab_node node = with_operands(LAB_SELECT, 3, (const int[]){which, a, b});
    return put(p, &node);
}

int lab_clamp(lab_program *p, int low, int x, int high)
{
    return elementwise(p, LAB_CLAMP, 3, (const int[]){low, x, high});
}

int lab_concatenate(lab_program *p, int n, const int *x, int axis)
{
    lab_node node = with_operands(LAB_CONCATENATE, n, x);
    put_dims(&node, 1, &axis);
    return put(p, &node);
}

int lab_slice(lab_program *p, int x, const int *start, const int *limit, const int *stride)
{
    lab_node node = with_operands(LAB_SLICE, 1, &x);
    for (int i = 0; i < rank_of(p, x); i++) {
        node.start[i] = start[i];
        node.limit[i] = limit[i];
        node.stride[i] = stride ? stride[i] : 1;
    }
    return put(p, &node);
}

int lab_pad(lab_program *p, int x, int value, const int *low, const int *high)
{
    lab_node node = with_operands(LAB_PAD, 2, (const int[]){x, value});
    for (int i = 0; i < rank_of(p, x); i++) {
        node.window[i].low = low[i];
        node.window[i].high = high[i];
    }
    return put(p, &node);
}

int lab_reverse(lab_program *p, int x, int n, const int *dims)
{
    lab_node node = with_operands(LAB_REVERSE, 1, &x);
    put_dims(&node, n, dims);
    return put(p, &node);
}

int lab_reduce(lab_program *p, int x, lab_reducer reducer, int n, const int *dims)
{
    lab_node node = with_operands(LAB_REDUCE, 1, &x);
    node.reducer = reducer;
    put_dims(&node, n, dims);
    return put(p, &node);
}

int lab_reduce_window(lab_program *p, int x, lab_reducer reducer, const lab_window *window)
{
    lab_node node = with_operands(LAB_REDUCE_WINDOW, 1, &x);
    node.reducer = reducer;
    for (int i = 0; i < rank_of(p, x); i++) node.window[i] = window[i];
    return put(p, &node);
}

int lab_dot(lab_program *p, int a, int b, lab_dot_dims dims)
{
    lab_node node = with_operands(LAB_DOT, 2, (const int[]){a, b});
    node.dot = dims;
    return put(p, &node);
}

int lab_convolution(lab_program *p, int x, int kernel, lab_conv_dims dims, const lab_window *window)
{
    lab_node node = with_operands(LAB_CONVOLUTION, 2, (const int[]){x, kernel});
    node.conv = dims;
    for (int i = 0; i < dims.spatial && i < 3; i++) node.window[i] = window[i];
    return put(p, &node);
}

int lab_gather(lab_program *p, int x, int rows)
{
    lab_node node = with_operands(LAB_GATHER, 2, (const int[]){x, rows});
    return put(p, &node);
}
