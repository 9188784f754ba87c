/* SPDX-License-Identifier: MIT */
/* One convolution in float (ag__) and in double (ag64__) behind plain doubles; both are
   tests/both/convolution_runner.c. */
#ifndef AG_TESTS_CONVOLUTION_RUNNER_H
#define AG_TESTS_CONVOLUTION_RUNNER_H

#include "core/core.h"

enum { CONV_PARTS = 7, CONV_WHY = 480 };

/* Part 0 is x, the others are the parameters: of attention w, from, to, bias; of GraphSAGE the
   fields of ag_sage_concat_weights. A part that is NULL is absent. The loss is <y, cotangent>. */
typedef struct conv_problem {
    int gat, heads, mean;                /* graph attention */
    int kind, l2, directed, shared, cap; /* GraphSAGE; cap 0: none */
    int loops;                           /* 1: every node hears itself */
    int graphs, edges;
    const int32_t *starts, *edge; /* [graphs+1]; [edges,2] */
    ag_shape shape[CONV_PARTS];
    const double *part[CONV_PARTS], *cotangent;
} conv_problem;

/* Values and gradients of the parts that are there; 0, or 1 with a sentence. */
int ag__convolve(double *y, double *const *gradient, const conv_problem *p, char why[CONV_WHY]);
int ag64__convolve(double *y, double *const *gradient, const conv_problem *p, char why[CONV_WHY]);

/* The largest error of ag_gradcheck over all parts. */
double ag__convolve_gradcheck(const conv_problem *p, char where[200]);
double ag64__convolve_gradcheck(const conv_problem *p, char where[200]);

void ag__convolve_threads(int n);
void ag64__convolve_threads(int n);

#endif
