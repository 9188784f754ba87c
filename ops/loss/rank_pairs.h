/* SPDX-License-Identifier: MIT */
/* The parts that losses over pairs share: which items an item is compared with, and the logistic
 * term. */
#ifndef AG_OPS_RANK_PAIRS_H
#define AG_OPS_RANK_PAIRS_H

#include "core/kernel.h"
#include "ops/segment_of.h"

AG_BOTH int pair_count(const ag_args *a) { return a->xs[0].size[0]; }

/* Items first..first+n-1; n is 0 for an item that belongs to no group. */
typedef struct pair_list {
    int first, n;
} pair_list;

/* The group of item r, by the starts in input `at`; all items when there is no such input. */
AG_BOTH pair_list list_of(const ag_args *a, int64_t r, int at)
{
    pair_list list = {0, pair_count(a)};
    if (a->n_in <= at) return list;
    const int rows = list.n;
    const int32_t g = segment_holding(XI(at), a->xs[at].size[0] - 1, rows, r);
    list.first = g >= 0 ? start_within(XI(at), g, rows) : 0;
    list.n = g >= 0 ? start_within(XI(at), g + 1, rows) - list.first : 0;
    return list;
}

/* The kernel `id` with blocks of grain(a) rows, as id_pairs: a row takes a step for each item. */
#define PAIRS(id, grain_of)                                         \
 static const ag_kernel id##_pairs = {.name = #id,                  \
                                      .count = id##_count,          \
                                      .range = id##_range,          \
                                      .cuda = AG__CUDA_POINTER(id), \
                                      .grain = grain_of};

/* ln(1 + e^-d), without overflow: max(0, -d) + ln(1 + e^-|d|). */
KERNEL ag_real logistic(int counts, ag_real d, ag_real p)
{
    const ag_real size = v_abs(d), loss = (size - d) * (ag_real)0.5 + v_log1p(v_exp(-size));
    (void)p;
    return counts ? loss : 0;
}
KERNEL ag_real logistic_slope(int counts, ag_real d, ag_real p)
{
    const ag_real slope = -v_sigmoid(-d);
    (void)p;
    return counts ? slope : 0;
}
#endif
