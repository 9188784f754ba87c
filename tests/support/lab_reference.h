/* SPDX-License-Identifier: MIT */
/* The plain reference of the lab: every node one element at a time by its definition, with sums in
   double. It deliberately uses nothing of the nests. And the values of a run. */
#ifndef TESTS_LAB_REFERENCE_H
#define TESTS_LAB_REFERENCE_H

#include "examples/lab/run/run_internal.h"

/* A node about to be computed: values[i] of its operands exist. */
typedef struct lab__site {
    const lab_program *p;
    const lab_node *node;
    float *const *values;
} lab__site;

static inline lab_shape lab__ref_shape(const lab__site *s, int k)
{
    return s->p->nodes[s->node->operand[k]].shape;
}

/* Element of operand k. */
static inline float lab__ref_at(const lab__site *s, int k, const int *index)
{
    const lab_shape shape = lab__ref_shape(s, k);
    int64_t at = 0;
    for (int i = 0; i < shape.rank; i++) at = at * shape.size[i] + index[i];
    return s->values[s->node->operand[k]][at];
}

/* The element `index` of an op with a reduction; magnitude, when not NULL, gets the sum of the
   absolute values of the terms. */
double lab__ref_sum(const lab__site *s, const int *index, double *magnitude);

/* All elements of one node from its operands' values; not of a parameter. */
void lab__ref_node(float *out, const lab_program *p, int node, float *const *values);

/* Value of a node after a run (of the root only after lab_run_tile), in logical row-major order. */
void lab_run_read(float *elements, const lab_run *run, int node);

#endif
