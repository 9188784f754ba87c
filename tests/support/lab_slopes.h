/* SPDX-License-Identifier: MIT */
/* Slopes of a loss along directions in its weights: from gradients and from differences. */
#ifndef LAB_SLOPES_H
#define LAB_SLOPES_H

#include "examples/lab/program/program.h"

/* One weight on its way: weight + step * (gradient + share * random). All are nodes. */
typedef struct lab_knob {
    int weight, gradient, random, share, step, moved;
} lab_knob;

/* Appends the nodes up to `loss` once more, with the moved weights; returns the second loss. */
int lab_copied(lab_program *p, int loss, const lab_knob *k, int n);

/* Values of the nodes named, by the plain reference; each result is to be freed. */
void lab_evaluate(float **result, const lab_program *p, const int *node, int n);

/* Differentiates the loss by n weights and holds the slopes along a part random, part downhill
   direction against central differences of that step. */
void lab_check_slopes(lab_program *p, int loss, const int *weight, int n, double step,
                      double tolerance);

#endif
