/* SPDX-License-Identifier: MIT */
/* LambdaRank: the logistic loss of a pair times the change of the ranking's NDCG if the two were
   swapped. Inputs: scores, labels, starts. Y(1): 1 / log2(1 + place) of each item in the order of
   its group's scores; Y(2): 2^label - 1; Y(3): 1 / DCG of the group's best order. Places are
   counted: n_g * n_g steps, no sort. */
#include "ops/loss/rank_pairs.h"

AG_BOTH ag_real log_of_2(void) { return (ag_real)0.69314718055994530942; }

/* 1 / log2(1 + place) of item r when larger values of v come first, equal ones in order. */
KERNEL ag_real discount_of(const ag_real *v, int64_t r, pair_list list)
{
    const ag_real mine = v[r];
    const int own = (int)r - list.first;
    ag_real before;
    v += list.first;
    SUM(before, j, list.n, (v[j] > mine) | ((v[j] == mine) & (j < own)) ? (ag_real)1 : 0);
    return log_of_2() / v_log(2 + before);
}

ROW(lambda_rank_places, pair_count(a))
{
    const pair_list list = list_of(a, r, 2);
    const ag_real gain = v_exp(X(1)[r] * log_of_2()) - 1;
    const ag_real placed = discount_of(X(0), r, list), best = discount_of(X(1), r, list);
    if (LANE == 0) {
        Y(1)[r] = placed;
        Y(2)[r] = gain;
        a->scratch[r] = gain * best;
    }
}

/* The weight of a pair, without 1 / DCG; it is 0 unless the label of i is larger. */
KERNEL ag_real lambda_weight(int counts, ag_real discounts, ag_real gains)
{
    const ag_real w = v_abs(discounts * gains);
    return counts ? w : 0;
}

/* The losses of the rows follow the n shares of the DCG in scratch. */
ROW(lambda_rank_rows, pair_count(a))
{
    const pair_list list = list_of(a, r, 2);
    const ag_real *s = X(0) + list.first, *y = X(1) + list.first, *d = Y(1) + list.first;
    const ag_real *g = Y(2) + list.first, *share = a->scratch + list.first;
    const ag_real own = X(0)[r], mine = X(1)[r], dr = Y(1)[r], gr = Y(2)[r];
    ag_real sum, dcg;
    SUM(dcg, j, list.n, share[j]);
    dcg = dcg > 0 ? 1 / dcg : 0;
    SUM(sum, j, list.n,
        lambda_weight(mine > y[j], dr - d[j], gr - g[j]) * logistic(1, own - s[j], 0));
    if (LANE == 0) {
        Y(3)[r] = dcg;
        a->scratch[pair_count(a) + r] = sum * dcg / log_of_2();
    }
}

/* attr.i[0]: 0 divides by the groups, 1 does not. */
AG_BOTH ag_real lambda_scale(const ag_args *a)
{
    const int groups = a->xs[2].size[0] - 1;
    return a->attr.i[0] || groups < 1 ? 1 : 1 / (ag_real)groups;
}

ROW(lambda_rank_total, 1)
{
    const ag_real *rows = a->scratch + pair_count(a);
    ag_real sum;
    (void)r;
    SUM(sum, i, pair_count(a), rows[i]);
    if (LANE == 0) Y(0)[0] = sum * lambda_scale(a);
}

/* Places do not depend smoothly on the scores, so only the logistic terms have a slope. */
ROW_PUT(lambda_rank_backward, pair_count(a))
{
    const pair_list list = list_of(a, r, 2);
    const ag_real *s = X(0) + list.first, *y = X(1) + list.first, *d = Y(1) + list.first;
    const ag_real *g = Y(2) + list.first;
    const ag_real own = X(0)[r], mine = X(1)[r], dr = Y(1)[r], gr = Y(2)[r];
    ag_real sum;
    SUM(sum, j, list.n,
        lambda_weight(mine > y[j], dr - d[j], gr - g[j]) * logistic_slope(1, own - s[j], 0) -
            lambda_weight(mine < y[j], dr - d[j], gr - g[j]) * logistic_slope(1, s[j] - own, 0));
    if (LANE == 0) PUT(DX, r, DY(0)[0] * lambda_scale(a) * sum * Y(3)[r] / log_of_2());
}
