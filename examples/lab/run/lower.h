/* SPDX-License-Identifier: MIT */
/* Lowers a node to loop nests, for any part of its output, between buffers with any strides. */
#ifndef LAB_LOWER_H
#define LAB_LOWER_H

#include "examples/lab/nest/nest.h"

/* The layout of a value in a buffer: strides in floats. Its first element has the index
   first[axis], so that a buffer can hold a part. */
typedef struct lab_view {
    int64_t stride[LAB_RANK];
    int first[LAB_RANK];
} lab_view;

typedef struct lab_box {
    int start[LAB_RANK], size[LAB_RANK];
} lab_box;

/* The part of a node that is computed: a box of its output and a box of its reduction. The axes of
   the reduction are: of a dot the contracted one; of a convolution the spatial axes of the kernel,
   then the input features (of one group); of a reduce dims[i]; of a reduce-window axis i of the
   window. accumulate: 1 when the box adds to the result of earlier boxes of the reduction. */
typedef struct lab_part {
    lab_box out, sum;
    int accumulate;
} lab_part;

/* A planned nest and the sources of its inputs: the index of an operand, or LAB_RAMP: the numbers
   0, 1, 2... up to the largest size of an axis. Unused inputs: -1. */
enum { LAB_RAMP = -2, LAB_PIECES = LAB_OPERANDS };
typedef struct lab_piece {
    nest nest;
    int from[NEST_INPUTS];
} lab_piece;

/* The whole of a node. lab_sum_axes: number of axes of its reduction and their sizes. */
void lab_part_whole(lab_part *part, const lab_program *p, int node);
int lab_sum_axes(int size[LAB_RANK], const lab_program *p, int node);

/* Writes the pieces that compute the part, to be run in order. Returns their number, at most
   LAB_PIECES; 0 for parameter, constant and gather, which run no nest. A reshape is always computed
   whole (part->out is ignored), and only where lab_reshape_axes allows it. in: a view for each
   operand. */
int lab_lower(lab_piece pieces[LAB_PIECES], const lab_program *p, int node, const lab_view *out,
              const lab_view *in, const lab_part *part);

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
