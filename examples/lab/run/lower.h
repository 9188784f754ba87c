/* SPDX-License-Identifier: MIT */
/* Values in memory with any strides, and the ops that no plain nest computes. */
#ifndef LAB_LOWER_H
#define LAB_LOWER_H

#include "examples/lab/nest/nest.h"

/* The layout of a value in memory: strides in floats. */
typedef struct lab_view {
    int64_t stride[LAB_RANK];
} lab_view;

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
void lab_gather_run(const void *args); /* lab_gather_args */

#endif
