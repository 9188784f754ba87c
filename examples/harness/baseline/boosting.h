/* SPDX-License-Identifier: MIT */
/* Gradient boosting by XGBoost, where the build has it. */
#ifndef HARNESS_BOOSTING_H
#define HARNESS_BOOSTING_H

#include "core/types.h"

/* A loss that replaces the squared error, for losses that are not a sum over rows. */
typedef struct harness_boosting_loss {
    /* Sets the first and second derivatives [rows] of the loss by the prediction [rows] of the
       trees so far; called before each tree. A result other than 0 ends the fit. */
    int (*at)(float *gradient, float *curvature, const float *prediction, int rows, void *context);
    void *context;
    double start;        /* the prediction without trees */
    double least_gain;   /* of a split: gamma */
    double least_weight; /* of a leaf, as sum of curvatures: min_child_weight */
} harness_boosting_loss;

typedef struct harness_boosting_options {
    uint64_t seed;
    int rounds, depth; /* trees, and the depth of each */
    double rate;       /* the factor by which each tree is added */
    double columns;    /* share of the columns that each tree sees; 0: all */
    double least_leaf; /* additive trees: least number of items in a leaf; 0: nearly any */
    double order, top; /* additive trees: weights of the losses over pairs (additive.h) */

    /* Called after each tree, in the caller's thread; may be NULL. done is in 0..1. A result other
       than 0 stops the fit. */
    int (*progress)(void *context, const char *label, double done);
    void *context;

    const harness_boosting_loss *loss; /* NULL: squared error, XGBoost's limits of splits */
} harness_boosting_options;

/* Seed 0, 100 trees of depth 6, rate 0.1. */
harness_boosting_options harness_boosting_defaults(void);

/* Fits trees to x [rows, columns] and y [rows], which is not read if `loss` is set. NULL: the
   failure is in `why` (AG_EUSE in a build without libxgboost, AG_EDATA for XGBoost's errors). */
typedef struct harness_boosting harness_boosting;
int harness_boosting_built(void);
harness_boosting *harness_boosting_fit(const float *x, const double *y, int rows, int columns,
                                       const harness_boosting_options *options, ag_failure *why);
ag_status harness_boosting_predict(double *score, harness_boosting *boosting, const float *x,
                                   int rows, ag_failure *why);
int harness_boosting_trees(const harness_boosting *boosting); /* fewer than asked when stopped */
/* XGBoost's JSON of the trees, `bytes` bytes in XGBoost's memory, valid until the next call with
   these trees. NULL: the failure is in `why`. */
const char *harness_boosting_json(size_t *bytes, harness_boosting *boosting, ag_failure *why);
void harness_boosting_free(harness_boosting *boosting);

/* Must come first in main. The threads of XGBoost are OpenMP's, which wait by spinning; with other
   programs on the same processors a fit then takes ten times as long. How they wait is read from
   the environment before main begins, so this starts the program again, with
   OMP_WAIT_POLICY=passive. It returns when OMP_WAIT_POLICY or GOMP_SPINCOUNT is set already, in a
   build without XGBoost, and when the program cannot be started again. */
void harness_wait_asleep(char **argv);

#endif
