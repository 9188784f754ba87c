/* SPDX-License-Identifier: MIT */
/* Items in the order of their scores. */
#include "metrics/internal.h"
#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static ag_status check(const char *who, const double *score, const double *truth, int64_t n,
                       ag_failure *why)
{
    if (!score) return ag__refuse_null(why, who, "score");
    if (n < 0)
        return ag_fail(why, AG_EUSE, "%s: n is %lld, but it must be 0 or more", who, (long long)n);
    for (int64_t i = 0; i < n; i++) {
        const int bad_truth = truth && !isfinite(truth[i]);
        if (isfinite(score[i]) && !bad_truth) continue;
        return ag_fail(why, AG_EFINITE,
                       "%s: %s %lld of %lld is %g; only finite numbers can be ranked", who,
                       bad_truth ? "truth" : "score", (long long)i, (long long)n,
                       bad_truth ? truth[i] : score[i]);
    }
    return AG_OK;
}

ag_status ag__no_room(const char *who, int64_t n, ag_failure *why)
{
    return ag_fail(why, AG_EMEMORY, "%s: there is no memory to sort %lld items", who, (long long)n);
}

ag_status ag__items(ag__item **items, const char *who, const double *score, const double *truth,
                    int64_t n, ag_failure *why)
{
    const ag_status status = check(who, score, truth, n, why);
    *items = NULL;
    if (status != AG_OK) return status;
    ag__item *item = ag_alloc(ag_size_add(ag_size_mul((size_t)n, sizeof *item), 1));
    if (!item) return ag__no_room(who, n, why);
    for (int64_t i = 0; i < n; i++) item[i] = (ag__item){score[i], truth ? truth[i] : 0, i};
    *items = item;
    return AG_OK;
}

static int by_score(const void *a, const void *b)
{
    const ag__item *x = a, *y = b;
    int c = ag__compare(x->score, y->score);
    if (!c) c = ag__compare(x->truth, y->truth);
    return c ? c : (x->index > y->index) - (x->index < y->index);
}

ag_status ag__order(int64_t *order, const char *who, const double *score, const double *truth,
                    int64_t n, ag_failure *why)
{
    ag__item *items;
    const ag_status status = ag__items(&items, who, score, truth, n, why);
    if (status != AG_OK) return status;
    qsort(items, (size_t)n, sizeof *items, by_score);
    for (int64_t i = 0; i < n; i++) order[i] = items[i].index;
    ag_free(items);
    return AG_OK;
}

ag_status ag_order(int64_t *order, const double *score, int64_t n, ag_failure *why)
{
    if (!order) return ag__refuse_null(why, "ag_order", "order");
    return ag__order(order, "ag_order", score, NULL, n, why);
}

ag_status ag_places(double *place, const double *score, int64_t n, ag_failure *why)
{
    if (!place) return ag__refuse_null(why, "ag_places", "place");
    ag__item *item;
    const ag_status status = ag__items(&item, "ag_places", score, NULL, n, why);
    if (status != AG_OK) return status;
    qsort(item, (size_t)n, sizeof *item, by_score);
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && item[end].score == item[first].score;) end++;
        for (int64_t i = first; i < end; i++) place[item[i].index] = (double)(first + end - 1) / 2;
    }
    ag_free(item);
    return AG_OK;
}
