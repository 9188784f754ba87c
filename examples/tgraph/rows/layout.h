/* SPDX-License-Identifier: MIT */
/* The nodes of a program under a layout configuration. Each is a loop nest, and the layouts decide
   which loop is the innermost and with which strides it walks through memory.

   A file is read as a list of operations (operations.c). For a configuration, layouts are passed on
   from the configurable nodes to the others, copies are put in where a node wants an operand in
   another layout, and each node gives its loops (layouts.c, loops.c). The columns of a row describe
   the loops (columns.c). rows.c collects the different rows of many configurations; functions in
   ../data/data.h make rows from a file. */
#ifndef NESTS_LAYOUT_H
#define NESTS_LAYOUT_H

#include "examples/rows/rows.h"
#include "examples/tpugraphs/loops.h"
#include "examples/tpugraphs/operations.h"
#include "examples/tpugraphs/tpugraphs.h"

#include <stdbool.h>

enum { NESTS_INPUTS = 2, NESTS_INNER = 3 };

/* ---- a program ---- */

/* The order of operands and the axes that a dot contracts are in the arrays operand_index and
   dot_axes of the lab's files. TpuGraphs leaves both out: there an operand that is not a parameter,
   constant or broadcast is taken as the first. Operands are earlier nodes, no scalars, and two at
   most. `config` is the index among the configurable nodes, or -1; varying, 1: the loops depend on
   it. */
typedef struct nests_layout {
    int count, configurable;
    int ordered;                    /* 1: the file has the order of operands */
    tpugraphs_operation *operation; /* [count] as in the file, in which operands come first */
} nests_layout;

/* Reads the operations of an open layout file. Their memory is counted in *bytes. Fails: AG_EDATA,
   AG_EMEMORY. */
ag_status nests_layout_read(nests_layout *p, const tpugraphs_raw *raw, size_t *bytes,
                            ag_failure *why);
void nests_layout_free(nests_layout *p);

/* ---- loops ---- */

typedef struct nests_order {
    signed char axis[TPUGRAPHS_AXES]; /* the most minor first */
} nests_order;

/* Strides in elements. They are doubles, which no file can make overflow. */
typedef struct nests_strides {
    double of[TPUGRAPHS_AXES];
} nests_strides;

/* The row-major order, and the strides of an order. */
nests_order nests_row_major(int rank);
nests_strides nests_strides_of(const nests_order *order, int rank, const int *size);
/* The order that the layout digits (-1..5) ask for; axes that they do not name follow in row-major
   order. given: 0 when they name none. */
nests_order nests_asked_order(int *given, const signed char digit[TPUGRAPHS_AXES], int rank);
/* The axis of node `o` that each axis of its operand x becomes, -1: none. */
void nests_axes(int map[TPUGRAPHS_AXES], const tpugraphs_operation *o,
                const tpugraphs_operation *x);
/* The order of a node that is not configurable: that of its first operand where it fits. */
nests_order nests_inherited_order(const nests_layout *p, int node, const nests_order *order);

enum { NESTS_LOOPS = 3 * TPUGRAPHS_AXES };

/* A nest in the order in which it runs (tpugraphs_plan_loops). */
typedef struct nests_nest {
    tpugraphs_loop loop[NESTS_LOOPS];
    int loops, folds; /* folds: the reduction runs inside of the row */
    double work;      /* iterations in all; of windows only those inside of the tensor */
} nests_nest;

/* The nest of a node. */
nests_nest nests_nest_of(const nests_layout *p, int node, const nests_strides *out,
                         const nests_strides in[NESTS_INPUTS]);
/* The nest that copies a value of these sizes to another layout. */
nests_nest nests_copy_nest(int rank, const int *size, const nests_strides *out,
                           const nests_strides *in);
/* The nest of a reshape between these strides. Returns 1 when it moves nothing, 0 when it moves by
   this nest, -1 when the two sides have no loops in common, so that the operand has to become
   row-major first. */
int nests_reshape_nest(nests_nest *nest, const nests_layout *p, int node, const nests_strides *out,
                       const nests_strides *in);

/* ---- rows ---- */

/* Columns of a row; the word of a row is its op code in TpuGraphs. Sizes and strides are log2(1 +
   x) or log2(x). */
enum {
    NESTS_LAYOUT_WORK,        /* ln(iterations) */
    NESTS_LAYOUT_FREE,        /* three innermost loops of the output: size, stride in the output, in
                                 operand 0, in operand 1 */
    NESTS_LAYOUT_SUM = 13,    /* three innermost loops of the reduction: size, stride in operand 0,
                                 in operand 1 */
    NESTS_LAYOUT_JUMPS = 22,  /* in how many tensors the innermost loop of the output, and that of
                                 the reduction, has a stride other than 0 and 1 */
    NESTS_LAYOUT_DEPTH = 24,  /* loops of the output, of the reduction */
    NESTS_LAYOUT_SIZES = 26,  /* elements of the output, operand 0, operand 1 */
    NESTS_LAYOUT_WINDOW = 29, /* elements, largest step, padded axes */
    NESTS_LAYOUT_GROUPS = 32,
    NESTS_LAYOUT_FOLDS, /* 1: the innermost reduction runs inside of the innermost loop */
    NESTS_LAYOUT_CUT, /* whether a window cuts the innermost loop of the output, of the reduction */
    NESTS_LAYOUT_GAP = 36,  /* largest dilation of the input */
    NESTS_LAYOUT_LEFT = 37, /* share of the output's innermost loop that full vectors of 8 and of 16
                               leave over; of the reduction's, of 8, of 16 and of 4 */
    NESTS_LAYOUT_COLUMNS = 42
};

/* Writes the columns of a nest. elements: of the output and the operands. Windows and groups are
   read from `o`, which is NULL for a copy. */
void nests_layout_columns(float x[NESTS_LAYOUT_COLUMNS], const tpugraphs_operation *o,
                          const nests_nest *nest, const double elements[1 + NESTS_INPUTS]);

/* A nest of an item: it computes or copies for a node. */
typedef struct nests_put {
    int row, node;
} nests_put;

/* The memory of nests_rows for the configurations of one file. An item is a configuration, and
   counts rows; equal rows are one. Rows of nodes that no configuration changes are counted in
   `always`. All arrays but `slot` are bags (harness/base/bag.h). */
typedef struct nests_layout_memory {
    const nests_layout *layout;
    bool by_node; /* an item has an entry for each nest, with its node, and `always` is 0 */
    nests_strides *strides; /* [operations] of their outputs in the item added last */
    nests_order *order;     /* [operations] in the same way */
    signed char *digit;     /* [configurable, 18] room for the caller */
    int32_t *slot;          /* [slots] index of a row + 1; 0: free */
    int slots;
    int *entry;     /* [rows] the last entry of the row, -1: none */
    nests_put *put; /* of the present item */
    int fixed;      /* how many nests every item has; they come first */
} nests_layout_memory;

/* Start from {0}, open, add; opened again, rows reuse their memory. */
void nests_layout_open(nests_rows *rows, const nests_layout *p, bool by_node);
/* Appends a configuration: digit [configurable, 18] of -1..5, layouts of output, operand 0 and
   operand 1. */
void nests_layout_add(nests_rows *rows, const signed char *digit);

#endif
