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

/* Of `tied` items with equal scores, whose run times ascend, `open` are chosen, in each way with
   the same chance, besides those that are sure, the fastest of which takes `best`. */
static void expect_fastest(harness_choice *c, double best, const double *time, int64_t tied,
                           int64_t open)
{
    const double first = fmin(best, time[0]), top = c->best_least / first;
    double chance = (double)open / (double)tied; /* that item i is the fastest of the chosen */
    c->least = first;
    c->top = top;
    for (int64_t i = 1; i + open <= tied; i++) {
        const double least = fmin(best, time[i]);
        chance *= (double)(tied - i + 1 - open) / (double)(tied - i);
        c->least += chance * (least - first);
        c->top += chance * (c->best_least / least - top);
    }
}

/* The expectation over all orders of the items whose score is that of the k-th. */
static void expect(harness_choice *c, const double *score, const double *truth,
                   const int64_t *order, int64_t n, int64_t k, double limit)
{
    const double level = score[order[k - 1]];
    double best = (double)INFINITY, sum = 0, tied_sum = 0, hits = 0, tied_hits = 0;
    int64_t sure = k - 1, end = k;
    while (sure && score[order[sure - 1]] == level) sure--;
    while (end < n && score[order[end]] == level) end++;
    const int64_t tied = end - sure;
    const double share = (double)(k - sure) / (double)tied;
    double *time = harness_alloc((size_t)tied * sizeof *time);
    for (int64_t i = 0; i < sure; i++) {
        const double t = truth[order[i]];
        best = fmin(best, t);
        sum += t;
        hits += t <= limit;
    }
    for (int64_t i = 0; i < tied; i++) {
        const double t = time[i] = truth[order[sure + i]];
        tied_sum += t;
        tied_hits += t <= limit;
    }
    harness_sort(time, tied);
    expect_fastest(c, best, time, tied, k - sure);
    c->mean = (sum + share * tied_sum) / (double)k;
    c->recall = (hits + share * tied_hits) / (double)k;
    harness_free(time);
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
    int64_t *chosen = harness_alloc(2 * (size_t)n * sizeof *chosen), *fastest = chosen + n;
    if (!harness_order(chosen, score, n, why) && !harness_order(fastest, truth, n, why)) {
        double sum = 0;
        for (int64_t i = 0; i < k; i++) sum += truth[fastest[i]];
        c->best_least = truth[fastest[0]];
        c->best_mean = sum / (double)k;
        expect(c, score, truth, chosen, n, k, truth[fastest[k - 1]]);
    }
    harness_free(chosen);
    return why->status;
}

double harness_slowdown(const harness_choice *c)
{
    return (c->least - c->best_least) / c->best_least;
}
