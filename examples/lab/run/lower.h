/* SPDX-License-Identifier: MIT */
/* Lowers a node to loop nests, between values in memory with any strides. */
#ifndef LAB_LOWER_H
#define LAB_LOWER_H

#include "examples/lab/nest/nest.h"

/* The layout of a value in memory: strides in floats. */
typedef struct lab_view {
    int64_t stride[LAB_RANK];
} lab_view;

/* A planned nest and the sources of its inputs: the index of an operand, or LAB_RAMP: the numbers
   0, 1, 2... up to the largest size of an axis. Unused inputs: -1. */
enum { LAB_RAMP = -2, LAB_PIECES = LAB_OPERANDS };
typedef struct lab_piece {
    nest nest;
    int from[NEST_INPUTS];
} lab_piece;

/* Writes the pieces that compute the node, to be run in order. Returns their number, at most
   LAB_PIECES; 0 for parameter, constant and gather, which run no nest, and for a reshape that
   lab_reshape_axes does not allow. in: a view for each operand. rule: of the nests. */
int lab_lower(lab_piece pieces[LAB_PIECES], const lab_program *p, int node, const lab_view *out,
              const lab_view *in, tpugraphs_rule rule);

/* Common axes into which both sides of a reshape can be split: size and stride of each, on both
   sides. Returns their number; 0 when there are none for these strides (then one side has to be
   row-major). */
typedef struct lab_reshape_axis {
    int64_t size, out, in;
} lab_reshape_axis;
enum { LAB_RESHAPE_AXES = 2 * LAB_RANK };
int lab_reshape_axes(lab_reshape_axis axes[LAB_RESHAPE_AXES], lab_shape to, const lab_view *out,
                     lab_shape from, const lab_view *in);

/* Row-major strides of a shape, the first element at index 0. */
void lab_view_row_major(lab_view *view, lab_shape shape);

/* Rows of a table by number: out[i, j] = table[rows[i], j], with the numbers clamped to the
   table. */
typedef struct lab_gather_args {
    float *out;
    const float *table, *rows;
    int64_t n, width, height; /* rows of the result, elements of a row, rows of the table */
    int64_t out_row, out_element, table_row, table_element, rows_step;
} lab_gather_args;
void lab_gather_run(const lab_gather_args *args);

#endif
