/* SPDX-License-Identifier: MIT */
/* A small graph of HLO-like operations, which the lab runs, measures and writes as a TpuGraphs
   graph. Nodes are in topological order: operands come first, the last node is the root. */
#ifndef LAB_PROGRAM_H
#define LAB_PROGRAM_H

#include "core/types.h"
#include "examples/tpugraphs/space.h"

enum {
    LAB_RANK = TPUGRAPHS_AXES,
    LAB_OPERANDS = 8,
    LAB_NAME = 64,         /* bytes of a name with its zero */
    LAB_NODES = 100000,    /* of a program at most */
    LAB_ELEMENTS = 1 << 28 /* of a value, and of a padded axis, at most */
};

/* LAB_ABS and its like. */
typedef enum lab_op {
#define LAB_OP(name, ...)  LAB_##name,
#define LAB_MAP(name, ...) LAB_##name,
#include "examples/lab/program/ops.def"
    LAB_OPS
} lab_op;

typedef enum lab_type { LAB_F32, LAB_S32, LAB_PRED, LAB_TYPES } lab_type;
typedef enum lab_reducer { LAB_SUM, LAB_MAX } lab_reducer;

/* The logical shape of a value; rank 0 is a scalar. All types are held as float in memory. */
typedef struct lab_shape {
    lab_type type;
    int rank, size[LAB_RANK];
} lab_shape;

/* A convolution has 1 to 3 spatial axes. */
typedef tpugraphs_window lab_window;
typedef tpugraphs_dot_axes lab_dot_dims;
typedef tpugraphs_conv_axes lab_conv_dims;

typedef struct lab_node {
    lab_op op;
    lab_shape shape;
    int n_operands, operand[LAB_OPERANDS]; /* node numbers, each below this one's */
    int n_dims, dims[LAB_RANK];
    lab_window window[LAB_RANK];
    int start[LAB_RANK], limit[LAB_RANK], stride[LAB_RANK];
    lab_dot_dims dot;
    lab_conv_dims conv;
    lab_reducer reducer;
    float value;
    char name[LAB_NAME]; /* a label: letters, digits and _ . - ; the builders give "dot.5" */
} lab_node;

/* A zeroed program is empty. In nodes, fields that the op does not use are zero. */
typedef struct lab_program {
    char name[LAB_NAME], family[LAB_NAME];
    lab_node *nodes; /* a bag of n */
    int n;
    ag_failure why; /* the first failure; later calls do nothing and return 0 */
} lab_program;

void lab_program_clear(lab_program *p);

/* The name of an op as in HLO text ("reduce-window"); its op code in TpuGraphs (1..120); the name
   of a type ("f32", "s32", "pred"). */
const char *lab_op_name(lab_op op);
int lab_op_code(lab_op op);
const char *lab_type_name(lab_type type);

/* Row-major strides. */
void lab_strides(int64_t *stride, const int *size, int rank);
/* a / b, rounded towards minus infinity; b is above 0. */
static inline int64_t lab_floor_divide(int64_t a, int64_t b)
{
    if (b == 1) return a;
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Number of elements; -1: the rank is outside of 0..LAB_RANK, a size is below 1, or there are more
   than LAB_ELEMENTS. */
int64_t lab_elements(lab_shape s);

/* The iteration space of a reduce, reduce-window, dot or convolution; empty for others. */
tpugraphs_space lab_space(const lab_program *p, int node);
/* Of a node that reduces: the number of axes of its reduction, and their sizes; the number of terms
   of its sums. */
int lab_sum_axes(int size[LAB_RANK], const lab_program *p, int node);
double lab_terms(const lab_program *p, int node);

/* The elements that a broadcast, transpose, slice or reverse reads along each axis of its operand:
   first + step * i, with i the index along `axis` of the result. Others move nothing. */
typedef struct lab_moved {
    int axis, first, step;
} lab_moved;
void lab_moved_axes(lab_moved moved[LAB_RANK], const lab_node *node);

/* An estimate of the cost of a run: multiply-adds of dots, convolutions and windows, and the
   elements that every other operation writes (a reduction: reads). Exact up to 2^53. */
double lab_program_work(const lab_program *p);

/* 1 for nodes that a layout configuration describes: convolution, dot, reshape. */
int lab_configurable(const lab_node *node);
/* The numbers of these nodes, ascending (nodes: room for p->n, or NULL); returns their count. */
int lab_configurable_nodes(int *nodes, const lab_program *p);

/* The shape of a node; a scalar if there is no such node, or after a failure. */
lab_shape lab_shape_of(const lab_program *p, int node);

/* Builders: each appends a node with the shape that follows from its operands, and returns its
   number. The first misuse is kept as a sentence in p->why; it and all later calls return 0. Types:
   arithmetic is of f32; abs, negate, sign, add, subtract, multiply, maximum, minimum, clamp,
   compare, reduce and reduce-window take s32, too; not, and, or take pred; moving data takes any.
   */
int lab_parameter(lab_program *p, lab_type type, int rank, const int *size);
int lab_constant(lab_program *p, float value);                     /* a scalar */
int lab_iota(lab_program *p, int axis, int rank, const int *size); /* s32 */
int lab_broadcast(lab_program *p, int x, const int *dims, int rank, const int *size);
int lab_reshape(lab_program *p, int x, int rank, const int *size);
int lab_transpose(lab_program *p, int x, const int *dims);
int lab_unary(lab_program *p, lab_op op, int x); /* also copy; shapes stay */
int lab_convert(lab_program *p, int x, lab_type type);
int lab_binary(lab_program *p, lab_op op, int a, int b); /* equal shapes */
int lab_ternary(lab_program *p, lab_op op, int a, int b, int c);
int lab_concatenate(lab_program *p, int n, const int *x, int axis);
int lab_slice(lab_program *p, int x, const int *start, const int *limit, const int *stride);
int lab_pad(lab_program *p, int x, int value, const int *low, const int *high);
int lab_reverse(lab_program *p, int x, int n, const int *dims);
int lab_reduce(lab_program *p, int x, lab_reducer reducer, int n, const int *dims);
int lab_reduce_window(lab_program *p, int x, lab_reducer reducer, const lab_window *window);
int lab_dot(lab_program *p, int a, int b, lab_dot_dims dims);
int lab_convolution(lab_program *p, int x, int kernel, lab_conv_dims dims,
                    const lab_window *window);
int lab_gather(lab_program *p, int x, int rows);

/* Appends a copy of `node`, with nodes of p as operands; its shape must be the one that follows
   from them, and fields that its op does not use are zero. Returns its number, or 0 with p->why
   set, as the builders do. */
int lab_append(lab_program *p, const lab_node *node);

#endif
