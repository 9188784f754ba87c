/* SPDX-License-Identifier: MIT */
/* Losses over all pairs of a list, or of each group of it. Row i looks at every j: n * n steps, no
   sort, no atomics. A pair counts where rank[i] > rank[j], so that i is the slower one; d = s_i -
   s_j should be positive. */
#include "core/kernel.h"
#include "ops/row_pieces.h"

AG_BOTH int pair_count(const ag_args *a) { return a->xs[0].size[0]; }

/* Items first..first+n-1; n is 0 for an item that belongs to no group. */
typedef struct pair_list {
    int first, n;
} pair_list;

/* The group of item r, by the starts; all items when there are none. */
AG_BOTH pair_list list_of(const ag_args *a, int64_t r)
{
    pair_list list = {0, pair_count(a)};
    if (a->n_in < 3) return list;
    const row_cut groups = cut_of(XI(2), a->xs[2].size[0] - 1, list.n, 0);
    const int64_t g = cut_segment(groups, r);
    list.first = g >= 0 ? cut_start(groups, g) : 0;
    list.n = g >= 0 ? cut_start(groups, g + 1) - list.first : 0;
    return list;
}

/* attr.i[0]: 0 divides by the entries of the matrix of pairs, 1 does not. Without groups, the sum
   is divided by n * n at the end. With groups, every row is divided by the entries of its group
   (not in LambdaRank), and the sum by the number of groups. */
AG_BOTH ag_real pair_scale(const ag_args *a)
{
    const ag_real n = (ag_real)pair_count(a);
    if (a->attr.i[0]) return 1;
    if (a->n_in > 2) return a->xs[2].size[0] > 1 ? 1 / (ag_real)(a->xs[2].size[0] - 1) : 1;
    return n == 0 ? 1 : 1 / n / n;
}
AG_BOTH ag_real pair_row_scale(const ag_args *a, pair_list list)
{
    const ag_real n = (ag_real)list.n;
    return a->attr.i[0] || a->n_in < 3 || list.n == 0 ? 1 : 1 / n / n;
}

ROW(pair_total, 1)
{
    const ag_real *rows = a->scratch;
    ag_real s;
    (void)r;
    SUM(s, i, pair_count(a), rows[i]);
    if (LANE == 0) Y(0)[0] = s * pair_scale(a);
}

/* loss(counts, d) of a pair and its slope, both 0 unless it counts; p is attr.f[0]. */
#define PAIR_LOSS(name, loss, slope)                                                \
 ROW(name##_rows, pair_count(a))                                                    \
 {                                                                                  \
  const pair_list list = list_of(a, r);                                             \
  const ag_real *s = X(0) + list.first, own = X(0)[r], p = (ag_real)a->attr.f[0];   \
  const int32_t *rank = XI(1) + list.first, mine = XI(1)[r];                        \
  ag_real sum;                                                                      \
  (void)p;                                                                          \
  SUM(sum, j, list.n, loss(mine > rank[j], own - s[j], p));                         \
  if (LANE == 0) a->scratch[r] = sum * pair_row_scale(a, list);                     \
 }                                                                                  \
 ROW_PUT(name##_backward, pair_count(a))                                            \
 {                                                                                  \
  const pair_list list = list_of(a, r);                                             \
  const ag_real *s = X(0) + list.first, own = X(0)[r], p = (ag_real)a->attr.f[0];   \
  const int32_t *rank = XI(1) + list.first, mine = XI(1)[r];                        \
  ag_real sum;                                                                      \
  (void)p;                                                                          \
  SUM(sum, j, list.n,                                                               \
      slope(mine > rank[j], own - s[j], p) - slope(mine < rank[j], s[j] - own, p)); \
  sum *= pair_row_scale(a, list);                                                   \
  if (LANE == 0) PUT(DX, r, DY(0)[0] * pair_scale(a) * sum);                        \
 }

/* The loss has only one condition, since gcc 12 computes nested ones wrongly with AVX-512. A pair
   with a NaN counts, so that the loss is NaN. */
KERNEL ag_real hinge(int counts, ag_real d, ag_real margin)
{
    return (counts & !(d >= margin)) ? margin - d : 0;
}
KERNEL ag_real hinge_slope(int counts, ag_real d, ag_real margin)
{
    return (counts & !(d >= margin)) ? (ag_real)-1 : 0;
}
PAIR_LOSS(pairwise_hinge, hinge, hinge_slope)

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
PAIR_LOSS(pairwise_logistic, logistic, logistic_slope)

/* ---- ListMLE: item k is followed by itself and by all items that rank after it ---- */

/* 1 if item j comes at or after item k: by rank, equal ranks by index. */
KERNEL int follows(const int32_t *rank, int j, int32_t rank_k, int k)
{
    return (rank[j] > rank_k) | ((rank[j] == rank_k) & (j >= k));
}

/* Y(1)[k] = ln of the sum of e^-s over the items from k on. */
ROW(listmle_rows, pair_count(a))
{
    const ag_real *s = X(0);
    const int32_t *rank = XI(1), mine = rank[r];
    const int k = (int)r, n = pair_count(a);
    ag_real m, sum;
    MAXIMUM(m, -s[k], j, n, follows(rank, j, mine, k) ? -s[j] : -s[k]);
    SUM(sum, j, n, follows(rank, j, mine, k) ? v_exp(-s[j] - m) : 0);
    if (LANE == 0) Y(1)[r] = m + v_log(sum);
}

ROW(listmle_total, 1)
{
    const ag_real *s = X(0), *behind = Y(1);
    ag_real sum;
    (void)r;
    SUM(sum, k, pair_count(a), behind[k] + s[k]);
    if (LANE == 0) Y(0)[0] = sum;
}

/* ds_j = 1 - the sum, over j and the items k that it follows, of the probability that j is chosen
   in the place of k. */
ROW_PUT(listmle_backward, pair_count(a))
{
    const ag_real *s = X(0), *behind = Y(1), own = s[r];
    const int32_t *rank = XI(1), mine = rank[r];
    const int j = (int)r;
    ag_real sum;
    SUM(sum, k, pair_count(a),
        ((mine > rank[k]) | ((mine == rank[k]) & (j >= k))) ? v_exp(-own - behind[k]) : 0);
    if (LANE == 0) PUT(DX, r, (1 - sum) * DY(0)[0]);
}

/* ---- LambdaRank: the loss of a pair times the change of NDCG if the two were swapped ---- */

/* Inputs: scores, labels, starts. Y(1): 1 / log2(1 + place) of each item in the order of its
   group's scores; Y(2): 2^label - 1; Y(3): 1 / DCG of the group's best order. Scratch: the losses
   of the items, then their shares of the DCG. */

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
    const pair_list list = list_of(a, r);
    const ag_real gain = v_exp(X(1)[r] * log_of_2()) - 1;
    const ag_real placed = discount_of(X(0), r, list), best = discount_of(X(1), r, list);
    if (LANE == 0) {
        Y(1)[r] = placed;
        Y(2)[r] = gain;
        a->scratch[pair_count(a) + r] = gain * best;
    }
}

/* The weight of a pair, without 1 / DCG; it is 0 unless the label of i is larger. */
KERNEL ag_real lambda_weight(int counts, ag_real discounts, ag_real gains)
{
    const ag_real w = v_abs(discounts * gains);
    return counts ? w : 0;
}

ROW(lambda_rank_rows, pair_count(a))
{
    const pair_list list = list_of(a, r);
    const ag_real *s = X(0) + list.first, *y = X(1) + list.first, *d = Y(1) + list.first;
    const ag_real *g = Y(2) + list.first, *share = a->scratch + pair_count(a) + list.first;
    const ag_real own = X(0)[r], mine = X(1)[r], dr = Y(1)[r], gr = Y(2)[r];
    ag_real sum, dcg;
    SUM(dcg, j, list.n, share[j]);
    dcg = dcg > 0 ? 1 / dcg : 0;
    SUM(sum, j, list.n,
        lambda_weight(mine > y[j], dr - d[j], gr - g[j]) * logistic(1, own - s[j], 0));
    if (LANE == 0) {
        Y(3)[r] = dcg;
        a->scratch[r] = sum * dcg / log_of_2();
    }
}

/* Places do not depend smoothly on the scores, so only the logistic terms have a slope. */
ROW_PUT(lambda_rank_backward, pair_count(a))
{
    const pair_list list = list_of(a, r);
    const ag_real *s = X(0) + list.first, *y = X(1) + list.first, *d = Y(1) + list.first;
    const ag_real *g = Y(2) + list.first;
    const ag_real own = X(0)[r], mine = X(1)[r], dr = Y(1)[r], gr = Y(2)[r];
    ag_real sum;
    SUM(sum, j, list.n,
        lambda_weight(mine > y[j], dr - d[j], gr - g[j]) * logistic_slope(1, own - s[j], 0) -
            lambda_weight(mine < y[j], dr - d[j], gr - g[j]) * logistic_slope(1, s[j] - own, 0));
    if (LANE == 0) PUT(DX, r, DY(0)[0] * pair_scale(a) * sum * Y(3)[r] / log_of_2());
}
