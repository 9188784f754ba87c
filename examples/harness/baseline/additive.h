/* SPDX-License-Identifier: MIT */
/* Additive boosted trees, for run times that are sums over the parts of a program:

       T(item) = sum over its rows of  times * work * exp(trees(row)),

   where a row describes what one part of the program does. Only the order within a group is
   learned: with z = ln T and y = ln(run time), both less their mean over the group, the loss is

       mean over groups of  mean over items of  (z - y)^2 / (variance of y + 1e-3).

   A group may ask for another weight, for an error that counts linearly beyond a limit (Huber's
   loss), and for the run time itself instead of the order. The options may add a loss over pairs
   (below).

   Gradient: dT / T = sum of share(row) * d trees(row), where share(row) is the row's part of T;
   harness_boosting_loss passes the gradient on to the trees. */
#ifndef HARNESS_ADDITIVE_H
#define HARNESS_ADDITIVE_H

#include "examples/harness/baseline/boosting.h"

/* The items of a group, as counts of rows that they share. */
typedef struct harness_additive_group {
    int rows, items;
    const float *x;      /* [rows, columns] */
    const double *work;  /* [rows] above 0: run time of the row, up to a factor */
    const float *always; /* [rows] how often every item counts the row, besides its own counts; or
                            NULL */
    const int *first;    /* [items + 1]; those of an item are first[i] ... first[i + 1] - 1 */
    const int *row;      /* [first[items]] */
    const float *times;  /* [first[items]] how often the item counts that row; NULL: once */
    const double *y;     /* [items] ln(run time); NULL where items are only scored */
    double weight;       /* of the group; 0: 1 / (variance of y + 1e-3) */
    double limit;        /* errors up to this count as squares; 0: all do */
    int absolute;        /* 1: z and y are compared as they are; work is then about the run time */
} harness_additive_group;

/* Fits trees to the rows of all groups; options->loss is not read. It leaves out groups without
   `y`, groups with an item that counts no row, and compared groups in which all run times are
   equal. NULL: the failure is in `why` (as harness_boosting_fit; AG_EDATA when nothing is left). */
harness_boosting *harness_additive_fit(const harness_additive_group *group, int groups, int columns,
                                       const harness_boosting_options *options, ag_failure *why);

/* ---- the order of the items of a group, as part of the loss ---- */

/* z and y: ln of predicted and measured run times, [items]. The loss of a group is the mean over
   its pairs, times order / 2, of ln(1 + e^(-STEEP (z_slower - z_faster))), plus the same with the
   weights of NDCG, |G_i - G_j| |D_i - D_j|, times order / 2 * top, as in
   ag_pairwise_logistic and ag_lambda_rank. */
typedef struct harness_order_loss {
    double order, top;
    double *gain;  /* [items] of one group, by harness_order_gains */
    double pairs;  /* of items with different run times */
    double *place; /* [items] scratch */
} harness_order_loss;

/* The loss multiplies differences of z by this, so a quarter more run time counts as much as a
   difference of 1 between scores. */
enum { HARNESS_STEEP = 4 };

/* Fills o->gain and o->pairs. */
void harness_order_gains(harness_order_loss *o, const double *y, int items);

/* Adds the first derivatives by z, [items], and the diagonal of the second derivatives. */
void harness_order_slopes(double *slope, double *curve, const harness_order_loss *o,
                          const double *z, const double *y, int items);

#endif
