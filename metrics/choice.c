/* SPDX-License-Identifier: MIT */
/* The best items of a predicted order, and how good they are. */
#include "metrics/internal.h"
#include "core/error.h"
#include "core/memory.h"

#include <math.h>

/* Of `tied` items with equal scores and truths that ascend along `order`, `open` are chosen, in
   each way with the same chance, besides those that are sure, the least of which has `best`. */
static void expect_least(ag_choice *c, double best, const double *truth, const int64_t *order,
                         int64_t tied, int64_t open)
{
    const double first = fmin(best, truth[order[0]]), top = c->best_least / first;
    double chance = (double)open / (double)tied; /* that item i is the least of the chosen */
    c->least = first;
    c->top = top;
    for (int64_t i = 1; i + open <= tied; i++) {
        const double least = fmin(best, truth[order[i]]);
        chance *= (double)(tied - i + 1 - open) / (double)(tied - i);
        c->least += chance * (least - first);
        c->top += chance * (c->best_least / least - top);
    }
}

/* The expectation over all orders of the items whose score is that of the k-th. */
static void expect(ag_choice *c, const double *score, const double *truth, const int64_t *order,
                   int64_t n, int64_t k, double limit)
{
    const double level = score[order[k - 1]];
    double best = (double)INFINITY, sum = 0, tied_sum = 0, hits = 0, tied_hits = 0;
    int64_t sure = k - 1, end = k;
    while (sure && score[order[sure - 1]] == level) sure--;
    while (end < n && score[order[end]] == level) end++;
    const int64_t tied = end - sure;
    const double share = (double)(k - sure) / (double)tied;
    for (int64_t i = 0; i < sure; i++) {
        const double t = truth[order[i]];
        best = fmin(best, t);
        sum += t;
        hits += t <= limit;
    }
    for (int64_t i = sure; i < end; i++) {
        const double t = truth[order[i]];
        tied_sum += t;
        tied_hits += t <= limit;
    }
    expect_least(c, best, truth, order + sure, tied, k - sure);
    c->mean = (sum + share * tied_sum) / (double)k;
    c->recall = (hits + share * tied_hits) / (double)k;
}

static ag_status check_choice(const char *who, const double *truth, int64_t n, int64_t k,
                              ag_failure *why)
{
    if (n < 1 || k < 1)
        return ag_fail(why, AG_EUSE, "%s: k is %lld and n is %lld; both must be at least 1", who,
                       (long long)k, (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (truth[i] <= 0)
            return ag_fail(why, AG_EDATA, "%s: truth %lld of %lld is %g; truths must be above 0",
                           who, (long long)i, (long long)n, truth[i]);
    return AG_OK;
}

ag_status ag_choose(ag_choice *choice, const double *score, const double *truth, int64_t n,
                    int64_t k, ag_failure *why)
{
    static const char who[] = "ag_choose";
    if (!choice) return ag__refuse_null(why, who, "choice");
    if (!truth) return ag__refuse_null(why, who, "truth");
    ag_status status = check_choice(who, truth, n, k, why);
    if (status != AG_OK) return status;
    if (k > n) k = n;
    int64_t *chosen = ag_alloc(ag_size_mul((size_t)n, 2 * sizeof *chosen));
    if (!chosen) return ag__no_room(who, n, why);
    int64_t *best = chosen + n;
    status = ag__order(chosen, who, score, truth, n, why);
    if (status == AG_OK) status = ag__order(best, who, truth, NULL, n, why);
    if (status == AG_OK) {
        double sum = 0;
        for (int64_t i = 0; i < k; i++) sum += truth[best[i]];
        choice->best_least = truth[best[0]];
        choice->best_mean = sum / (double)k;
        expect(choice, score, truth, chosen, n, k, truth[best[k - 1]]);
    }
    ag_free(chosen);
    return status;
}

double ag_slowdown(const ag_choice *c)
{
    return c ? (c->least - c->best_least) / c->best_least : (double)NAN;
}
