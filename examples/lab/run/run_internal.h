/* SPDX-License-Identifier: MIT */
/* A run: a value for each node and a flat list of steps. */
#ifndef LAB_RUN_INTERNAL_H
#define LAB_RUN_INTERNAL_H

#include "examples/lab/run/run.h"

/* Strides in floats. */
typedef struct lab_view {
    int64_t stride[LAB_RANK];
} lab_view;

/* An axis that both sides of a reshape have: its size, and its stride on each side. */
typedef struct lab_reshape_axis {
    int64_t size, out, in;
} lab_reshape_axis;
enum { LAB_RESHAPE_AXES = 2 * LAB_RANK };

/* The place of a value. home: memory of its own for all of its elements; data is elsewhere when a
   reshape needs no move. */
typedef struct lab_value {
    float *home, *data;
    lab_view view;
} lab_value;

typedef struct lab_step {
    void (*go)(const void *args);
    const void *args;
} lab_step;

/* The arguments of a step that runs a nest; all steps of a layout configuration do, except gathers.
 */
typedef struct lab_nest_args {
    float *out;
    const float *in[NEST_INPUTS];
    nest nest;
} lab_nest_args;

struct lab_run {
    const lab_program *p; /* borrowed */
    tpugraphs_rule rule;
    lab_value *value;    /* of each node; parameters and constants are filled, row-major */
    float *ramp;         /* 0, 1, 2... as far as the largest axis */
    float *copies;       /* room for the copies of one node's operands */
    ag_arena *memory;    /* all values */
    ag_arena *arguments; /* of the steps compiled last */
    lab_step *steps;     /* a bag */
    int n_steps;
    int n_copies; /* that the last lab_run_layout inserted */
};

/* Row-major strides of a shape, the first element at index 0. */
void lab_view_row_major(lab_view *view, lab_shape shape);

/* Common axes into which both sides of a reshape can be split. Returns their number; 0 when there
   are none for these strides (then one side has to be row-major). */
int lab_reshape_axes(lab_reshape_axis axes[LAB_RESHAPE_AXES], lab_shape to, const lab_view *out,
                     lab_shape from, const lab_view *in);

/* Sets the elements of parameter `node`, row-major. */
void lab__parameter_values(float *elements, const lab_program *p, int node);

/* Forgets the steps; every value is row-major in its home. */
void lab__run_reset(lab_run *run);

/* Appends a step. The arguments, `bytes` bytes, are copied; they live until the next reset. */
void lab__run_step(lab_run *run, void (*go)(const void *), const void *args, size_t bytes);

/* Appends the steps that compute a node, in its home and layout, from the operands' data; no step
   for a reshape that lab_reshape_axes does not allow. The node is not a parameter or constant. */
void lab__run_node(lab_run *run, int node, const lab_value *in);

/* Appends a move of a value to the home of another, in its layout. */
void lab__run_copy(lab_run *run, lab_shape shape, const lab_value *to, const lab_value *from);

/* Where in free memory a value begins: on a cache line (products that write 16 bytes past one take
   up to 1.45 times as long), and, if it fills a page, at a chosen place within a page. place: nodes
   have even ones in turn, copies odd ones. */
float *lab__run_place(float *free, int64_t floats, int place);

#endif
