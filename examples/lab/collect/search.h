/* SPDX-License-Identifier: MIT */
/* Chooses the layout configurations of a program to be measured, batch by batch, none twice. */
#ifndef LAB_SEARCH_H
#define LAB_SEARCH_H

#include "examples/lab/measure/measure.h"
#include "examples/lab/run/run.h"

/* The state of one program's search: all configurations given so far. */
typedef struct lab_search {
    const lab_program *program;
    int genetic; /* from the default configuration; 0: new layouts for one to all nodes */
    ag_random random;
    int n_nodes, *node;   /* the configurable nodes */
    lab_layout_row *rows; /* [count][n_nodes] */
    uint64_t *hash;       /* [count] */
    int count, capacity;
} lab_search;

lab_search *lab_search_new(const lab_program *p, int genetic, uint64_t seed);
void lab_search_free(lab_search *s);

/* Appends up to `want` new configurations to the first `told`, of which it gets the run times, and
   forgets others; the very first is the default. Returns their number: less than wanted when
   (nearly) all configurations have been given. */
int lab_search_next(lab_search *s, const lab_timing *timing, int told, int want);

/* A random layout of one node: the two most minor axes of each operand and of the output of a
   convolution, all axes of a dot and a reshape; -1 everywhere where the draw is the default. */
void lab_row_draw(signed char *row, const lab_program *p, int node, ag_random *random);

#endif
