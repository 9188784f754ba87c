/* SPDX-License-Identifier: MIT */
/* The order of the items of a group, as part of the loss of additive trees, and of the networks
   that learn next to them. */
#ifndef HARNESS_ORDER_H
#define HARNESS_ORDER_H

/* z and y: ln of predicted and measured run times, [items]. The loss of a group is the mean over
   its pairs, times order / 2, of ln(1 + e^(-STEEP (z_slower - z_faster))), and the same with the
   weights of NDCG, |G_i - G_j| |D_i - D_j|, times order / 2 * top: as ops/pairwise and
   ops/lambda_rank. */
typedef struct harness_order_loss {
    double order, top;
    double *gain;  /* [items] of one group, by harness_order_gains */
    double pairs;  /* of items with different run times */
    double *place; /* [items] scratch */
} harness_order_loss;

/* Two run times that differ by a quarter are as sure as two scores that differ by 1. */
enum { HARNESS_STEEP = 4 };

/* Fills o->gain and o->pairs. */
void harness_order_gains(harness_order_loss *o, const double *y, int items);

/* Adds first and second derivatives by z, [items], the second without what mixes two items. */
void harness_order_slopes(double *slope, double *curve, const harness_order_loss *o,
                          const double *z, const double *y, int items);

#endif
