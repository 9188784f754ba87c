/* SPDX-License-Identifier: MIT */
/* metrics: how good predictions of classes, of numbers and of an order are. The functions take
   plain arrays and use no tape; results are doubles with the same bits for any number of threads.

       ag_forward(logits);
       printf("%g\n", ag_accuracy(ag_values(logits), label, n, classes)); */
#ifndef AG_METRICS_H
#define AG_METRICS_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- classes ---- */

/* The share of rows in which the label has the largest logit (the first of equal ones), in 0..1.
   logits: [n,classes]; label: [n], of 0..classes-1, or -1: this row does not count. A row with a
   NaN is wrong. NaN when no row counts, when a label is out of range, and for NULL. */
AG_API double ag_accuracy(const ag_real *logits, const int32_t *label, int64_t n, int classes);

/* The area under the ROC curve. Each row with label 1 makes a pair with each row with label 0; the
   area is the share of pairs in which the row with label 1 has the larger score. Equal scores count
   one half. In 0..1; exact, in O(n log n). label: [n], 0, 1, or -1: this row does not count. NaN if
   a class is missing, a score is not finite, a label is another number, an argument is NULL, or
   memory (for two copies of the rows) is missing. sklearn.metrics.roc_auc_score. */
AG_API double ag_roc_auc(const ag_real *score, const int32_t *label, int64_t n);

/* ---- numbers ---- */

/* Measures of y[i] against target[i], i < n, computed in double; sums are in the order of i. NaN if
   n < 1, an argument is NULL, or an array has a NaN.
     ag_mae   mean |y - target|
     ag_rmse  sqrt(mean (y - target)^2)
     ag_mape  100 mean |y - target| / |target|, in percent; NaN when a target is 0
     ag_r2    1 - sum (y - target)^2 / sum (target - mean)^2, at most 1; NaN when all targets are
              equal */
AG_API double ag_mae(const ag_real *y, const ag_real *target, int64_t n);
AG_API double ag_rmse(const ag_real *y, const ag_real *target, int64_t n);
AG_API double ag_mape(const ag_real *y, const ag_real *target, int64_t n);
AG_API double ag_r2(const ag_real *y, const ag_real *target, int64_t n);

/* ---- an order ---- */

/* Kendall's tau-b (ag_tau_b below) of two arrays of a tensor's type, in -1..1. NaN if ag_tau_b is
   NaN, a number is not finite, an argument is NULL, or there is no memory. */
AG_API double ag_kendall_tau(const ag_real *score, const ag_real *truth, int64_t n);

/* The mean of ag_kendall_tau over groups: group g is the items starts[g]..starts[g+1]-1. Groups
   of fewer than two items or of equal truths do not count. NaN if no group counts, starts descend
   or are below 0, a group that counts has a number that is not finite, an argument is NULL, or
   there is no memory. */
AG_API double ag_kendall_tau_groups(const ag_real *score, const ag_real *truth,
                                    const int32_t *starts, int groups);

/* The functions below take doubles: a model's `score` of n items and the measured `truth`. Both
   should ascend together: the item with the smallest score is predicted to be the fastest.
   Doubles hold int64 nanoseconds exactly up to 2^53 (104 days). Functions that return a status fail
   with AG_EFINITE (a number is not finite: the sentence names its index), AG_EMEMORY (scratch for
   sorting, up to 48 bytes an item) and AG_EUSE (NULL, a negative n). */

/* Pairs i < j of n items, counted exactly. */
typedef struct ag_pairs {
    int64_t pairs;      /* n (n - 1) / 2 */
    int64_t concordant; /* both orders agree */
    int64_t discordant; /* the orders are opposite */
    int64_t tied_score; /* equal scores (with equal truths or not) */
    int64_t tied_truth; /* equal truths (with equal scores or not) */
    int64_t tied_both;
} ag_pairs;

/* Counts in O(n log n). Source: Knight, "A Computer Method for Calculating Kendall's Tau with
   Ungrouped Data" (1966). Fails: see above. */
AG_API ag_status ag_pairs_count(ag_pairs *pairs, const double *score, const double *truth,
                                int64_t n, ag_failure *why);

/* Kendall's tau-b (ties corrected, as scipy.stats.kendalltau) and tau-a, in -1..1; 0 when all
   scores are equal. NaN for fewer than two items or NULL; tau-b also when all truths are equal. */
AG_API double ag_tau_b(const ag_pairs *pairs);
AG_API double ag_tau_a(const ag_pairs *pairs);

/* Ordered pair accuracy: among the pairs with different truths, the fraction that the scores order
   as the truths do; equal scores count as wrong. In 0..1; NaN when all truths are equal, and for
   NULL. */
AG_API double ag_opa(const ag_pairs *pairs);

/* The share of all pairs that have equal scores, in 0..1; NaN for fewer than two items or NULL. */
AG_API double ag_tied(const ag_pairs *pairs);

/* Among the pairs with truths that differ by more than `share` times the smaller truth, the
   fraction that the scores order as the truths do; equal scores count one half. In 0..1; NaN
   without such a pair. Fails: see above; AG_EUSE (a share that is not in 0..1), AG_EDATA (a truth
   below 0, unless share is 0). */
AG_API ag_status ag_pairwise(double *pairwise, const double *score, const double *truth, int64_t n,
                             double share, ag_failure *why);

/* order[i]: index of the item with the i-th smallest score; equal scores are in order of index.
   Fails: see above. */
AG_API ag_status ag_order(int64_t *order, const double *score, int64_t n, ag_failure *why);

/* place[i]: the rank of score[i] in ascending order, from 0 on; equal scores share the mean of
   their ranks. Fails: see above. scipy.stats.rankdata, minus 1. */
AG_API ag_status ag_places(double *place, const double *score, int64_t n, ag_failure *why);

/* Truths, such as run times, of the best predicted (the k items with the smallest scores) and of
   the best (the k items with the smallest truths). If k > n, both are all n items. If equal scores
   leave open which are the k best, each number is its mean over all ways to choose among them, so
   it does not depend on the order of the items. Fails: see above; AG_EUSE (k < 1 or n < 1),
   AG_EDATA (a truth is not above 0). */
typedef struct ag_choice {
    double least, mean;           /* of the best predicted */
    double best_least, best_mean; /* of the best */
    double top; /* best_least / least: the top-k score of TenSet (Zheng et al. 2021), 1 is best */
    double recall; /* share of the best predicted that are no worse than the k-th best */
} ag_choice;
AG_API ag_status ag_choose(ag_choice *choice, const double *score, const double *truth, int64_t n,
                           int64_t k, ag_failure *why);

/* (least - best_least) / best_least, 0 is best; NaN for NULL. */
AG_API double ag_slowdown(const ag_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
