/* SPDX-License-Identifier: MIT */
#include "examples/harness/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
    double score, truth;
    int64_t index;
} item;

static ag_status check(const double *score, const double *truth, int64_t n, ag_failure *why)
{
    for (int64_t i = 0; i < n; i++) {
        int bad_truth = truth && !isfinite(truth[i]);
        if (isfinite(score[i]) && !bad_truth) continue;
        return ag_fail(why, AG_EFINITE,
                       "ranking score: %s %lld of %lld is %g; only finite numbers can be ranked",
                       bad_truth ? "run time" : "predicted score", (long long)i, (long long)n,
                       bad_truth ? truth[i] : score[i]);
    }
    return AG_OK;
}

static int compare(double a, double b) { return (a > b) - (a < b); }

static int by_truth(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int c = compare(x->truth, y->truth);
    return c ? c : compare(x->score, y->score);
}

static int by_score(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int c = compare(x->score, y->score);
    return c ? c : (x->index > y->index) - (x->index < y->index);
}

static item *items_of(const double *score, const double *truth, int64_t n)
{
    item *items = harness_alloc((size_t)n * sizeof *items);
    for (int64_t i = 0; i < n; i++) items[i] = (item){score[i], truth ? truth[i] : 0, i};
    return items;
}

/* Pairs within runs of equal items. */
static int64_t tied(const item *items, int64_t n, int truth, int score)
{
    int64_t pairs = 0, run = 1;
    for (int64_t i = 1; i <= n; i++) {
        int same = i < n && (!truth || items[i].truth == items[i - 1].truth) &&
                   (!score || items[i].score == items[i - 1].score);
        if (same) {
            run++;
        } else {
            pairs += run * (run - 1) / 2;
            run = 1;
        }
    }
    return pairs;
}

/* Sorts by score, bottom up, and returns how many pairs were in the wrong order. */
static int64_t merge_sort(item *items, item *spare, int64_t n)
{
    int64_t swaps = 0;
    item *from = items, *to = spare;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t mid = low + width < n ? low + width : n,
                    high = mid + width < n ? mid + width : n;
            for (int64_t i = low, j = mid, k = low; k < high; k++)
                if (i < mid && (j >= high || from[i].score <= from[j].score)) {
                    to[k] = from[i++];
                } else {
                    swaps += mid - i;
                    to[k] = from[j++];
                }
        }
        item *old = from;
        from = to, to = old;
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof *items);
    return swaps;
}

ag_status harness_pairs_count(harness_pairs *pairs, const double *score, const double *truth,
                              int64_t n, ag_failure *why)
{
    memset(pairs, 0, sizeof *pairs);
    if (check(score, truth, n, why) != AG_OK) return AG_EFINITE;
    if (n < 2) return AG_OK;
    item *items = items_of(score, truth, n), *spare = harness_alloc((size_t)n * sizeof *spare);
    qsort(items, (size_t)n, sizeof *items, by_truth);
    pairs->pairs = n * (n - 1) / 2;
    pairs->tied_truth = tied(items, n, 1, 0);
    pairs->tied_both = tied(items, n, 1, 1);
    pairs->discordant = merge_sort(items, spare, n);
    pairs->tied_score = tied(items, n, 0, 1);
    pairs->concordant =
        pairs->pairs - pairs->tied_truth - pairs->tied_score + pairs->tied_both - pairs->discordant;
    harness_free(items);
    harness_free(spare);
    return AG_OK;
}

double harness_tau_b(const harness_pairs *p)
{
    double x = (double)(p->pairs - p->tied_score), y = (double)(p->pairs - p->tied_truth);
    if (y <= 0) return (double)NAN;
    if (x <= 0) return 0;
    double tau = (double)(p->concordant - p->discordant) / sqrt(x * y);
    return tau > 1 ? 1 : tau < -1 ? -1 : tau;
}

double harness_tau_a(const harness_pairs *p)
{
    return p->pairs ? (double)(p->concordant - p->discordant) / (double)p->pairs : (double)NAN;
}

double harness_opa(const harness_pairs *p)
{
    int64_t ordered = p->pairs - p->tied_truth;
    return ordered ? (double)p->concordant / (double)ordered : (double)NAN;
}

double harness_tied(const harness_pairs *p)
{
    return p->pairs ? (double)p->tied_score / (double)p->pairs : (double)NAN;
}

static int ascending(const void *a, const void *b)
{
    return compare(*(const double *)a, *(const double *)b);
}

void harness_sort(double *x, int64_t n) { qsort(x, (size_t)n, sizeof *x, ascending); }

ag_status harness_order(int64_t *order, const double *score, int64_t n, ag_failure *why)
{
    if (check(score, NULL, n, why) != AG_OK) return AG_EFINITE;
    item *items = items_of(score, NULL, n);
    qsort(items, (size_t)n, sizeof *items, by_score);
    for (int64_t i = 0; i < n; i++) order[i] = items[i].index;
    harness_free(items);
    return AG_OK;
}

ag_status harness_places(double *place, const double *value, int64_t n, ag_failure *why)
{
    int64_t *order = harness_alloc((size_t)n * sizeof *order);
    const ag_status status = harness_order(order, value, n, why);
    for (int64_t first = 0, end; !status && first < n; first = end) {
        for (end = first; end < n && value[order[end]] == value[order[first]];) end++;
        for (int64_t i = first; i < end; i++) place[order[i]] = (double)(first + end - 1) / 2;
    }
    harness_free(order);
    return status;
}

void harness_mean_spread(double *mean, double *spread, int64_t *count, const double *values,
                         int64_t n)
{
    double sum = 0, squares = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(values[i])) sum += values[i], used++;
    *mean = used ? sum / (double)used : (double)NAN;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(values[i])) squares += (values[i] - *mean) * (values[i] - *mean);
    *spread = used > 1 ? sqrt(squares / (double)(used - 1)) : (double)NAN;
    *count = used;
}

harness_averages harness_average(const double *values, int64_t n)
{
    double spread, logs = 0, *sorted = harness_alloc((size_t)n * sizeof *sorted + 1);
    int64_t count = 0;
    harness_averages a = {(double)NAN, (double)NAN, (double)NAN, 0};
    for (int64_t i = 0; i < n; i++)
        if (!isnan(values[i])) sorted[count++] = values[i];
    harness_sort(sorted, count);
    for (int64_t i = 0; i < count; i++)
        logs += log(sorted[i]); /* 0: -inf, whose exponential is 0 */
    harness_mean_spread(&a.mean, &spread, &count, values, n);
    a.count = (int)count;
    if (count) {
        a.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        a.geometric = exp(logs / (double)count);
    }
    harness_free(sorted);
    return a;
}
