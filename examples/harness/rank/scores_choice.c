/* SPDX-License-Identifier: MIT */
/* Pairs that differ enough, and what the first of a predicted order take. */
#include "examples/harness/harness.h"

#include <math.h>

/* ---- pairs that differ ---- */

/* number[i]: how many different values are below value[i]. */
static ag_status number_values(int64_t *number, const double *value, int64_t n, ag_failure *why)
{
    int64_t *order = harness_alloc((size_t)n * sizeof *order + 1);
    if (!harness_order(order, value, n, why))
        for (int64_t i = 0, k = 0; i < n; i++) {
            k += i && value[order[i]] > value[order[i - 1]];
            number[order[i]] = k;
        }
    harness_free(order);
    return why->status;
}

/* A binary indexed tree of counts, so that numbers below another one are added up in O(log n). */
static void add_number(int64_t *tree, int64_t n, int64_t number)
{
    for (int64_t i = number + 1; i <= n; i += i & -i) tree[i]++;
}
static int64_t count_below(const int64_t *tree, int64_t number)
{
    int64_t sum = 0;
    for (int64_t i = number; i > 0; i -= i & -i) sum += tree[i];
    return sum;
}

/* Each item, the fastest first, is compared with those that are faster by more than the share: the
   first `faster` ones. Pairs count two halves, so that the sum is exact. */
static double count_pairwise(const int64_t *order, const int64_t *number, const double *truth,
                             int64_t *tree, int64_t n, double share)
{
    int64_t pairs = 0, halves = 0, faster = 0;
    for (int64_t j = 0; j < n; j++) {
        const double t = truth[order[j]];
        for (; t - truth[order[faster]] > share * truth[order[faster]]; faster++)
            add_number(tree, n, number[order[faster]]);
        const int64_t mine = number[order[j]];
        pairs += faster;
        halves += count_below(tree, mine) + count_below(tree, mine + 1);
    }
    return pairs ? (double)halves / (2 * (double)pairs) : (double)NAN;
}

ag_status harness_pairwise(double *pairwise, const double *score, const double *truth, int64_t n,
                           double share, ag_failure *why)
{
    if (!(share >= 0 && share <= 1))
        return ag_fail(why, AG_EUSE,
                       "pairwise: pairs must differ by %g, but a share is from 0 to 1", share);
    const size_t bytes = ((size_t)n + 1) * sizeof(int64_t);
    int64_t *order = harness_alloc(bytes), *number = harness_alloc(bytes),
            *tree = harness_alloc(bytes);
    if (!number_values(number, score, n, why) && !harness_order(order, truth, n, why))
        *pairwise = count_pairwise(order, number, truth, tree, n, share);
    harness_free(order);
    harness_free(number);
    harness_free(tree);
    return why->status;
}

/* ---- what is chosen ---- */

/* Minimum and mean of the k first run times. */
static void first_of(double *least, double *mean, const double *truth, const int64_t *order,
                     int64_t k)
{
    double sum = 0;
    *least = truth[order[0]];
    for (int64_t i = 0; i < k; i++) {
        sum += truth[order[i]];
        if (truth[order[i]] < *least) *least = truth[order[i]];
    }
    *mean = sum / (double)k;
}

static ag_status check_choice(const double *truth, int64_t n, int64_t k, ag_failure *why)
{
    if (n < 1 || k < 1)
        return ag_fail(why, AG_EUSE,
                       "choice: k is %lld and there are %lld items; both must be at least 1",
                       (long long)k, (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (truth[i] <= 0)
            return ag_fail(why, AG_EDATA,
                           "choice: run time %lld of %lld is %g, but run times must be above 0; "
                           "files without run times can be predicted, not scored",
                           (long long)i, (long long)n, truth[i]);
    return AG_OK;
}

ag_status harness_choose(harness_choice *c, const double *score, const double *truth, int64_t n,
                         int64_t k, ag_failure *why)
{
    if (check_choice(truth, n, k, why)) return why->status;
    if (k > n) k = n;
    int64_t *chosen = harness_alloc((size_t)n * sizeof *chosen);
    int64_t *fastest = harness_alloc((size_t)n * sizeof *fastest), hits = 0;
    if (!harness_order(chosen, score, n, why) && !harness_order(fastest, truth, n, why)) {
        first_of(&c->least, &c->mean, truth, chosen, k);
        first_of(&c->best_least, &c->best_mean, truth, fastest, k);
        for (int64_t i = 0; i < k; i++) hits += truth[chosen[i]] <= truth[fastest[k - 1]];
        c->recall = (double)hits / (double)k;
    }
    harness_free(chosen);
    harness_free(fastest);
    return why->status;
}

double harness_slowdown(const harness_choice *c)
{
    return (c->least - c->best_least) / c->best_least;
}

double harness_top(const harness_choice *c) { return c->best_least / c->least; }
