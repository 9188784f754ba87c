/* SPDX-License-Identifier: MIT */
/* Draws the layout configurations of a program that are to be measured, each at most once. */
#ifndef LAB_LAYOUTS_H
#define LAB_LAYOUTS_H

#include "core/random.h"
#include "examples/lab/run/run.h"

/* All configurations of one program given so far. */
typedef struct lab_layouts {
    const lab_program *program;
    ag_random random;
    int n_nodes, *node;   /* the configurable nodes */
    lab_layout_row *rows; /* [count][n_nodes], a bag */
    uint64_t *hash;       /* [count], all different; a bag */
    int count;
} lab_layouts;

lab_layouts *lab_layouts_new(const lab_program *p, uint64_t seed);
void lab_layouts_free(lab_layouts *l);

/* Appends up to `want` new ones; the very first is the default. Returns their number: fewer than
   wanted if (nearly) all configurations have been given. */
int lab_layouts_next(lab_layouts *l, int want);

/* A random layout of one node: the two most minor axes of each operand and of the output of a
   convolution, all axes of a dot and a reshape; all -1 if the default is drawn. */
void lab_row_draw(signed char *row, const lab_program *p, int node, ag_random *random);

#endif
