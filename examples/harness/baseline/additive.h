/* SPDX-License-Identifier: MIT */
/* Additive boosted trees, for run times that are sums over the parts of a program:

       T(item) = sum over its rows of  times * work * exp(trees(row)),

   where a row describes what one part of the program does. Only the order within a group is
   learned: with z = ln T and y = ln(run time), both less their mean over the group, the loss is

       mean over groups of  mean over items of  (z - y)^2 / (variance of y + 1e-3).

   A group may ask for another weight, for an error that counts linearly beyond a limit (Huber's
   loss), and for the run time itself instead of the order; the options, for the order of pairs
   besides (order.h).

   Gradient: dT / T = sum of share(row) * d trees(row), where share is the part of T that is the
   row's; it flows into the trees through harness_boosting_loss. */
#ifndef HARNESS_ADDITIVE_H
#define HARNESS_ADDITIVE_H

#include "examples/harness/baseline/boosting.h"

/* The items of a group, as counts of rows that they share. */
typedef struct harness_additive_group {
    int rows, items;
    const float *x;      /* [rows, columns] */
    const double *work;  /* [rows] above 0: the run time of the row, but for a factor */
    const float *always; /* [rows] how often every item counts the row, besides its own; or NULL */
    const int *first;    /* [items + 1]; those of an item are first[i] ... first[i + 1] - 1 */
    const int *row;      /* [first[items]] */
    const float *times;  /* [first[items]] how often the item counts that row; NULL: once */
    const double *y;     /* [items] ln(run time); NULL where items are only scored */
    double weight;       /* of the group; 0: 1 / (variance of y + 1e-3) */
    double limit;        /* of the errors that count as squares; 0: none */
    int absolute;        /* 1: z and y are compared as they are; work is then about the run time */
} harness_additive_group;

/* Trees on the rows of all groups, options->loss apart. Groups without `y`, with an item that
   counts no row, or that are compared and whose run times are all equal, are left out. NULL: the
   failure is in `why` (as harness_boosting_fit; AG_EDATA when nothing is left). */
harness_boosting *harness_additive_fit(const harness_additive_group *group, int groups, int columns,
                                       const harness_boosting_options *options, ag_failure *why);

#endif
