/* SPDX-License-Identifier: MIT */
/* Additive trees (examples/harness/baseline/additive.h) whose loss looks at the order, too: with z
   = ln T of a schedule and y = ln(run time), to the squares of additive.h is added, for each pair
   of a task with y_i > y_j,

       order / 2 * (1 / pairs of the task + top * change of NDCG) * ln(1 + e^(-4 (z_i - z_j))),

   which is the loss of the networks (--loss spread), but for a factor. */
#ifndef TPGNN_ORDERED_H
#define TPGNN_ORDERED_H

#include "examples/harness/baseline/additive.h"
#include "examples/tpgnn/program.h"

/* Trees on x [rows, columns], the rows of the groups one after the other, each of one item alone
   (no `always`, no `times`). options->loss is not read. NULL: the failure is in `why`: AG_EDATA
   (all run times of each group are equal), AG_EMEMORY, as harness_boosting_fit. */
harness_boosting *tpgnn_ordered_fit(const harness_additive_group *group, int groups, int columns,
                                    double order, double top,
                                    const harness_boosting_options *options, ag_failure *why);

/* Derivatives of the loss of one group by z [items], and their scratch. */
typedef struct tpgnn_order {
    double order, top;
    double *slope, *curve; /* [items], set */
    double *gain;          /* [items] of NDCG, over its best sum */
    double *place;         /* [items] scratch: 1 / log2(1 + place) */
    double pairs;          /* with run times that differ */
} tpgnn_order;
/* Sets gain and pairs from y [items]. */
void tpgnn_order_prepare(tpgnn_order *o, const double *y, int items);
void tpgnn_order_slopes(tpgnn_order *o, const double *z, const double *y, int items);

#endif
