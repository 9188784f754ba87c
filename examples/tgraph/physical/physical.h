/* SPDX-License-Identifier: MIT */
/* The nodes of a program under a layout configuration. Each is a loop nest, and the layouts decide
   which loop is the innermost and with which strides it walks through memory.

   A file is read as a list of operations (operations.c). For a configuration, layouts are passed on
   from the configurable nodes to the others, copies are put in where an operand has another layout
   than its node wants, and each node gives its loops (layouts.c, loops.c). The columns of a row
   describe them (columns.c). rows.c collects the different rows of many configurations. */
#ifndef TGRAPH_PHYSICAL_H
#define TGRAPH_PHYSICAL_H

#include "examples/tpugraphs/loops.h"
#include "examples/tpugraphs/tpugraphs.h"

enum { TGRAPH_AXES = 6, TGRAPH_INPUTS = 2, TGRAPH_INNER = 3 };

/* ---- a program ---- */

typedef enum tgraph_kind {
    TGRAPH_LEAF, /* no operand: row-major */
    TGRAPH_MAP,  /* the operands have the axes of the output */
    TGRAPH_BROADCAST,
    TGRAPH_TRANSPOSE,
    TGRAPH_RESHAPE,
    TGRAPH_REDUCE,
    TGRAPH_WINDOW, /* reduce-window */
    TGRAPH_DOT,
    TGRAPH_CONVOLUTION
} tgraph_kind;

/* A node. The order of its operands and the axes that a dot contracts are in the arrays
   operand_index and dot_axes of the lab's files. TpuGraphs leaves both out: there the first operand
   is one that is no parameter, constant or broadcast, and the axes of a dot are the first that fit
   its shapes. A node whose shapes do not fit its op is a TGRAPH_MAP. */
typedef struct tgraph_operation {
    tgraph_kind kind;
    int opcode;
    int rank, size[TGRAPH_AXES];
    int operands, operand[TGRAPH_INPUTS];       /* earlier nodes; those after it are left out */
    int dims[TGRAPH_AXES];                      /* as in the file */
    int window[TGRAPH_AXES], step[TGRAPH_AXES]; /* its sizes, its moves per output */
    int low[TGRAPH_AXES], tap[TGRAPH_AXES], gap[TGRAPH_AXES]; /* padding in front of the input,
        distance between taps of the window and between elements of the input (dilations) */
    int padded;                                               /* axes of the window that are */
    int batch, left, right, known; /* dot: batch axes, contracted axis of each operand; known: they
                                      are in the file */
    int in_axis[TGRAPH_AXES], kernel_axis[TGRAPH_AXES], out_axis[TGRAPH_AXES]; /* convolution: batch
        (of the kernel its outputs), features, then space */
    int groups;
    int config;  /* index among the configurable nodes, or -1 */
    int varying; /* 1: its loops depend on the configuration */
} tgraph_operation;

typedef struct tgraph_physical {
    int count, configurable;
    int ordered;                 /* 1: the file has the order of operands */
    tgraph_operation *operation; /* [count] as in the file, in which operands come first */
} tgraph_physical;

/* Reads the operations of an open layout file. They are of memory that is counted in *bytes. Fails:
   AG_EDATA, AG_EMEMORY. */
ag_status tgraph_physical_read(tgraph_physical *p, const tpugraphs_raw *raw,
                               tpugraphs_budget *budget, size_t *bytes, ag_failure *why);
void tgraph_physical_free(tgraph_physical *p);

/* ---- loops ---- */

typedef struct tgraph_order {
    signed char axis[TGRAPH_AXES]; /* the most minor first */
} tgraph_order;

/* Strides in elements. They are doubles, which no file can make overflow. */
typedef struct tgraph_strides {
    double of[TGRAPH_AXES];
} tgraph_strides;

/* The order of row-major, and the strides of an order. */
tgraph_order tgraph_row_major(int rank);
tgraph_strides tgraph_strides_of(const tgraph_order *order, int rank, const int *size);
/* The order that the layout digits (-1..5) ask for; axes that they do not name follow in row-major
   order. given: 0 when they name none. */
tgraph_order tgraph_asked_order(int *given, const signed char digit[TGRAPH_AXES], int rank);
/* The order of a node that is not configurable: that of its first operand where it fits. */
tgraph_order tgraph_inherited_order(const tgraph_physical *p, int node, const tgraph_order *order);

enum { TGRAPH_LOOPS = 3 * TGRAPH_AXES };

/* A nest in the order in which it runs (tpugraphs_plan_loops). */
typedef struct tgraph_nest {
    tpugraphs_loop loop[TGRAPH_LOOPS];
    int loops, folds; /* folds: the reduction runs inside of the row */
    double work;      /* iterations in all; those of windows that are outside do not count */
} tgraph_nest;

/* The nest of a node. */
tgraph_nest tgraph_nest_of(const tgraph_physical *p, int node, const tgraph_strides *out,
                           const tgraph_strides in[TGRAPH_INPUTS]);
/* The nest that copies a value of these sizes to another layout. */
tgraph_nest tgraph_copy_nest(int rank, const int *size, const tgraph_strides *out,
                             const tgraph_strides *in);
/* Of a reshape between these strides: 1 when it moves nothing; 0 when it moves by this nest; -1
   when the two sides have no loops in common, so that the operand has to become row-major first. */
int tgraph_reshape_nest(tgraph_nest *nest, const tgraph_physical *p, int node,
                        const tgraph_strides *out, const tgraph_strides *in);

/* ---- rows ---- */

/* Columns of a row. Sizes and strides are log2(1 + x) or log2(x). */
enum {
    TGRAPH_ROW_OPCODE,      /* op code of TpuGraphs */
    TGRAPH_ROW_WORK,        /* ln(iterations) */
    TGRAPH_ROW_FREE,        /* three innermost loops of the output: size, stride in the output, in
                               operand 0, in operand 1 */
    TGRAPH_ROW_SUM = 14,    /* three innermost loops of the reduction: size, stride in operand 0,
                               in operand 1 */
    TGRAPH_ROW_JUMPS = 23,  /* tensors in which the innermost loop of the output, and of the
                               reduction, has a stride other than 0 and 1 */
    TGRAPH_ROW_DEPTH = 25,  /* loops of the output, of the reduction */
    TGRAPH_ROW_SIZES = 27,  /* elements of the output, operand 0, operand 1 */
    TGRAPH_ROW_WINDOW = 30, /* elements, largest step, padded axes */
    TGRAPH_ROW_GROUPS = 33,
    TGRAPH_ROW_FOLDS, /* 1: the innermost reduction runs inside of the innermost loop */
    TGRAPH_ROW_CUT,   /* whether a window cuts the innermost loop of the output, of the reduction */
    TGRAPH_ROW_GAP = 37,  /* largest dilation of the input */
    TGRAPH_ROW_LEFT = 38, /* share of the innermost loop of the output that full vectors of 8 and of
                             16 leave over; of the reduction, of 8, of 16, of 4 at once */
    TGRAPH_ROW_COLUMNS = 43
};

/* Writes the columns of a nest. elements: of the output and the operands. Windows and groups are
   read from `o`, which is NULL for a copy. */
void tgraph_row_columns(float x[TGRAPH_ROW_COLUMNS], const tgraph_operation *o,
                        const tgraph_nest *nest, const double elements[1 + TGRAPH_INPUTS]);

/* The rows of the configurations of one file. An item is a configuration, and counts rows; equal
   rows are one. Start from {0}, open, add, and close in any case; opened again, they reuse their
   memory. */
typedef struct tgraph_rows {
    const tgraph_physical *physical;
    int rows, items;
    float *x;                /* [rows, TGRAPH_ROW_COLUMNS] */
    double *work;            /* [rows] iterations */
    float *always;           /* [rows] how often every item counts the row: that of nodes which the
                                configuration does not change */
    int *first;              /* [items + 1] */
    int *row;                /* [first[items]] */
    float *times;            /* [first[items]] */
    tgraph_strides *strides; /* [operations] of their outputs in the item added last */
    signed char *digit;      /* [configurable, 18] room for the caller */
    struct tgraph_rows_memory *memory;
} tgraph_rows;

ag_status tgraph_rows_open(tgraph_rows *rows, const tgraph_physical *p, ag_failure *why);
/* Appends a configuration: digit [configurable, 18] of -1..5, layouts of output, operand 0 and
   operand 1. Fails: AG_EMEMORY. */
ag_status tgraph_rows_add(tgraph_rows *rows, const signed char *digit, ag_failure *why);
/* Forgets the items, but not the rows. */
void tgraph_rows_restart(tgraph_rows *rows);
void tgraph_rows_close(tgraph_rows *rows);

#endif
