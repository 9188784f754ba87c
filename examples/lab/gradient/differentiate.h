/* SPDX-License-Identifier: MIT */
/* Reverse-mode differentiation of a program. Its gradients are further nodes of the program. */
#ifndef LAB_DIFFERENTIATE_H
#define LAB_DIFFERENTIATE_H

#include "examples/lab/nets/net.h"

/* Appends the nodes that compute the gradient of the scalar `loss` with respect to the nodes wrt
   (of f32); gradients[i] is the one of wrt[i], zeros where the loss does not depend on it. Taken as
   constant: operands of comparisons, conditions of selects, row numbers of gathers, and the maximum
   of a reduce (it occurs in softmax alone, where its gradient cancels). Errors, in p->why: AG_EUSE
   for an op that has no rule here (the maximum of a window, grouped convolutions, strided
   slices...), AG_EMEMORY. */
void lab_differentiate(int *gradients, lab_program *p, int loss, const int *wrt, int n);

/* The state of a differentiation, for the files of the rules. */
typedef struct lab_backward {
    lab_net net; /* of the program */
    int nodes;   /* of the program before differentiation */
    int *gradient;
    unsigned char *needed; /* 1 where a gradient is wanted */
} lab_backward;

int lab_backward_wants(const lab_backward *b, int node);
void lab_backward_add(lab_backward *b, int node, int gradient); /* adds to the gradient of node */

/* The rules: given g, the gradient of node `id`, they add to those of its operands. A rule gets a
   copy of the node, as appending moves the nodes. 0: the op is none of theirs. */
int lab_backward_elementwise(lab_backward *b, const lab_node *node, int id, int g);
int lab_backward_shape(lab_backward *b, const lab_node *node, int g);
int lab_backward_product(lab_backward *b, const lab_node *node, int g);

#endif
