/* SPDX-License-Identifier: MIT */
/* Quality of a predicted order. A score grows with the predicted run time: the smallest score is
   predicted fastest. Run times are doubles; int64 nanoseconds are exact in them up to 2^53 (104
   days). */
#ifndef HARNESS_SCORES_H
#define HARNESS_SCORES_H

#include "core/core.h"

/* Pairs i < j of n items, counted exactly. */
typedef struct harness_pairs {
    int64_t pairs;      /* n (n - 1) / 2 */
    int64_t concordant; /* both orders agree */
    int64_t discordant; /* the orders are opposite */
    int64_t tied_score; /* equal scores (with equal run times or not) */
    int64_t tied_truth; /* equal run times (with equal scores or not) */
    int64_t tied_both;
} harness_pairs;

/* Counts in O(n log n). Source: Knight, "A Computer Method for Calculating Kendall's Tau with
   Ungrouped Data" (1966). Fails: AG_EFINITE (a score or run time is not finite: the sentence names
   the index). */
ag_status harness_pairs_count(harness_pairs *pairs, const double *score, const double *truth,
                              int64_t n, ag_failure *why);

/* Kendall's tau-b (ties corrected, as scipy.stats.kendalltau) and tau-a, in -1..1. Equal scores
   alone are no order, and have 0. NaN when not defined, which depends on the run times and never on
   the scores: fewer than two items, or (tau-b) all run times equal. */
double harness_tau_b(const harness_pairs *pairs);
double harness_tau_a(const harness_pairs *pairs);

/* Ordered pair accuracy: of the pairs with different run times, the share whose scores have the
   same order; equal scores count as wrong. In 0..1; NaN when all run times are equal. */
double harness_opa(const harness_pairs *pairs);

/* Share of all pairs whose scores are equal, in 0..1; NaN below two items. */
double harness_tied(const harness_pairs *pairs);

/* Ascending; none is NaN. */
void harness_sort(double *x, int64_t n);

/* order[i]: index of the item with the i-th smallest score; equal scores by index. Fails:
   AG_EFINITE. */
ag_status harness_order(int64_t *order, const double *score, int64_t n, ag_failure *why);

/* place[i]: the rank of value[i] in ascending order, from 0 on; equal values share the mean of
   their ranks. Fails: AG_EFINITE. */
ag_status harness_places(double *place, const double *value, int64_t n, ag_failure *why);

/* Of the pairs whose run times differ by more than `share` of the shorter one, the share whose
   scores have the same order; equal scores count one half. In 0..1; NaN without such a pair. Fails:
   AG_EFINITE, AG_EUSE (a share that is not in 0..1). */
ag_status harness_pairwise(double *pairwise, const double *score, const double *truth, int64_t n,
                           double share, ag_failure *why);

/* Run times of the k best predicted items and of the k fastest (of all, if k > n). Where equal
   scores leave open which are the k best, all are means over all ways to choose among them, so that
   the order of the items changes nothing. Fails: AG_EUSE (k < 1 or n < 1), AG_EFINITE, AG_EDATA (a
   run time is not above 0). */
typedef struct harness_choice {
    double least, mean;           /* of the best predicted */
    double best_least, best_mean; /* of the fastest */
    double top; /* best_least / least: the top-k score of TenSet (Zheng et al. 2021), 1 is best */
    double recall; /* share of the best predicted no slower than the k-th fastest */
} harness_choice;
ag_status harness_choose(harness_choice *choice, const double *score, const double *truth,
                         int64_t n, int64_t k, ag_failure *why);

/* (least - best_least) / best_least, 0 is best. */
double harness_slowdown(const harness_choice *choice);

/* Mean and standard deviation (n - 1) of the values that are not NaN; count: their number. NaN
   without any; spread NaN below two. */
void harness_mean_spread(double *mean, double *spread, int64_t *count, const double *values,
                         int64_t n);

/* Of the values that are not NaN; NaN without any. The geometric mean is NaN when a value is below
   0, and 0 when one is 0. */
typedef struct harness_averages {
    double median, geometric, mean;
    int count;
} harness_averages;
harness_averages harness_average(const double *values, int64_t n);

#endif
