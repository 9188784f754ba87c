/* SPDX-License-Identifier: MIT */
/* Pairs of items: whether their scores have the order of their truths. */
#include "metrics/internal.h"
#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- all pairs ---- */

static int by_truth(const void *a, const void *b)
{
    const ag__item *x = a, *y = b;
    int c = ag__compare(x->truth, y->truth);
    return c ? c : ag__compare(x->score, y->score);
}

/* Pairs within runs of equal items. */
static int64_t tied(const ag__item *items, int64_t n, int truth, int score)
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
static int64_t merge_sort(ag__item *items, ag__item *spare, int64_t n)
{
    int64_t swaps = 0;
    ag__item *from = items, *to = spare;
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
        ag__item *old = from;
        from = to, to = old;
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof *items);
    return swaps;
}

static void count(ag_pairs *pairs, ag__item *items, ag__item *spare, int64_t n)
{
    qsort(items, (size_t)n, sizeof *items, by_truth);
    pairs->pairs = n * (n - 1) / 2;
    pairs->tied_truth = tied(items, n, 1, 0);
    pairs->tied_both = tied(items, n, 1, 1);
    pairs->discordant = merge_sort(items, spare, n);
    pairs->tied_score = tied(items, n, 0, 1);
    pairs->concordant =
        pairs->pairs - pairs->tied_truth - pairs->tied_score + pairs->tied_both - pairs->discordant;
}

ag_status ag_pairs_count(ag_pairs *pairs, const double *score, const double *truth, int64_t n,
                         ag_failure *why)
{
    static const char who[] = "ag_pairs_count";
    if (!pairs) return ag__refuse_null(why, who, "pairs");
    memset(pairs, 0, sizeof *pairs);
    if (!truth) return ag__refuse_null(why, who, "truth");
    ag__item *items, *spare;
    ag_status status = ag__items(&items, who, score, truth, n, why);
    if (status != AG_OK) return status;
    spare = ag_alloc((size_t)n * sizeof *spare + 1);
    if (spare)
        count(pairs, items, spare, n);
    else
        status = ag__no_room(who, n, why);
    ag_free(items);
    ag_free(spare);
    return status;
}

double ag_tau_b(const ag_pairs *p)
{
    if (!p) return (double)NAN;
    double x = (double)(p->pairs - p->tied_score), y = (double)(p->pairs - p->tied_truth);
    if (y <= 0) return (double)NAN;
    if (x <= 0) return 0;
    double tau = (double)(p->concordant - p->discordant) / sqrt(x * y);
    return tau > 1 ? 1 : tau < -1 ? -1 : tau;
}

static double share_of(int64_t part, int64_t all)
{
    return all ? (double)part / (double)all : (double)NAN;
}

double ag_tau_a(const ag_pairs *p)
{
    return p ? share_of(p->concordant - p->discordant, p->pairs) : (double)NAN;
}

double ag_opa(const ag_pairs *p)
{
    return p ? share_of(p->concordant, p->pairs - p->tied_truth) : (double)NAN;
}

double ag_tied(const ag_pairs *p) { return p ? share_of(p->tied_score, p->pairs) : (double)NAN; }

/* ---- pairs that differ ---- */

/* number[i]: how many different scores are below score[i]; order gets their order. */
static ag_status number_scores(int64_t *number, int64_t *order, const char *who,
                               const double *score, int64_t n, ag_failure *why)
{
    const ag_status status = ag__order(order, who, score, NULL, n, why);
    for (int64_t i = 0, k = 0; status == AG_OK && i < n; i++) {
        k += i && score[order[i]] > score[order[i - 1]];
        number[order[i]] = k;
    }
    return status;
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

/* Each item, the least first, is compared with those that are less by more than the share: the
   first `less` ones. Pairs count two halves, so that the sum is exact. */
static double count_pairwise(const int64_t *order, const int64_t *number, const double *truth,
                             int64_t *tree, int64_t n, double share)
{
    int64_t pairs = 0, halves = 0, less = 0;
    memset(tree, 0, ((size_t)n + 1) * sizeof *tree);
    for (int64_t j = 0; j < n; j++) {
        const double t = truth[order[j]];
        for (; t - truth[order[less]] > share * truth[order[less]]; less++)
            add_number(tree, n, number[order[less]]);
        const int64_t mine = number[order[j]];
        pairs += less;
        halves += count_below(tree, mine) + count_below(tree, mine + 1);
    }
    return pairs ? (double)halves / (2 * (double)pairs) : (double)NAN;
}

/* Truths of at least 0, so that no item differs from itself. */
static ag_status check_share(const char *who, const double *truth, int64_t n, double share,
                             ag_failure *why)
{
    if (!(share >= 0 && share <= 1))
        return ag_fail(why, AG_EUSE, "%s: pairs must differ by %g, but a share is from 0 to 1", who,
                       share);
    for (int64_t i = 0; share > 0 && i < n; i++)
        if (truth[i] < 0)
            return ag_fail(why, AG_EDATA,
                           "%s: truth %lld of %lld is %g; where pairs must differ by a share, "
                           "truths must be at least 0",
                           who, (long long)i, (long long)n, truth[i]);
    return AG_OK;
}

ag_status ag_pairwise(double *pairwise, const double *score, const double *truth, int64_t n,
                      double share, ag_failure *why)
{
    static const char who[] = "ag_pairwise";
    if (!pairwise) return ag__refuse_null(why, who, "pairwise");
    *pairwise = (double)NAN;
    if (!truth) return ag__refuse_null(why, who, "truth");
    ag_status status = check_share(who, truth, n, share, why);
    if (status != AG_OK) return status;
    const size_t room = n > 0 ? (size_t)n + 1 : 1;
    int64_t *order = ag_alloc(ag_size_mul(room, 3 * sizeof *order));
    if (!order) return ag__no_room(who, n, why);
    int64_t *number = order + room, *tree = number + room;
    status = number_scores(number, order, who, score, n, why);
    if (status == AG_OK) status = ag__order(order, who, truth, NULL, n, why);
    if (status == AG_OK) *pairwise = count_pairwise(order, number, truth, tree, n, share);
    ag_free(order);
    return status;
}
