/* SPDX-License-Identifier: MIT */
/* Random programs of one op each, and small whole ones, for the tests of the lab. */
#ifndef LAB_CASES_H
#define LAB_CASES_H

#include "lab_reference.h"

/* A program around one node of the op, the last one: each operand is a parameter followed by a
   reshape to its own shape, so that a configuration can give it any layout. 0 when the drawn node
   is not valid (draw again). */
int lab_case(lab_program *p, lab_op op, ag_random *random);

/* Small nets with configurable nodes of several kinds in a row: 0 .. LAB_CASE_NETS-1. */
enum { LAB_CASE_NETS = 4 };
void lab_case_net(lab_program *p, int which);

/* A random configuration of the configurable nodes: full, partial or default layouts. */
void lab_case_config(lab_layout_row *config, const lab_program *p, ag_random *random);

/* The largest error of an element of the node, compared with the value from its operands, in units
   of 1e-5 of the sum of absolute values of its terms: below 1 is right. values[i]: the value of
   each node. */
double lab_case_error(const lab_program *p, int node, float *const *values);

/* The value of every node after a run, in one block each; freed by the second. */
float **lab_case_read(const lab_run *run, const lab_program *p);
void lab_case_free(float **values, const lab_program *p);

#endif
