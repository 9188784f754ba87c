/* SPDX-License-Identifier: MIT */
/* Measures of an order: pairs, places, choices. */
#include "support/test.h"
#include "metrics/metrics.h"

/* The sequence that the scipy values below were made with. */
static void fill(double *to, int n, uint32_t modulus, uint32_t plus)
{
    uint32_t x = 12345;
    for (int i = 0; i < n; i++) {
        x = (uint32_t)(((uint64_t)x * 1103515245u + plus) % 2147483648u);
        to[i] = (x >> 8) % modulus;
    }
}

static ag_pairs by_force(const double *score, const double *truth, int n)
{
    ag_pairs p = {0};
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            int s = (score[i] > score[j]) - (score[i] < score[j]);
            int t = (truth[i] > truth[j]) - (truth[i] < truth[j]);
            p.pairs++;
            p.concordant += s * t > 0;
            p.discordant += s * t < 0;
            p.tied_score += s == 0;
            p.tied_truth += t == 0;
            p.tied_both += s == 0 && t == 0;
        }
    return p;
}

static ag_pairs count_pairs(const double *score, const double *truth, int n)
{
    ag_pairs p;
    expect_ok(ag_pairs_count(&p, score, truth, n, new_failure()));
    return p;
}

static void counts_pairs_as_brute_force_does(void **state)
{
    double score[120], truth[120];
    for (int trial = 0; trial < 400; trial++) {
        int n = trial % 120;
        uint32_t values = trial % 3 == 0 ? 4 : trial % 3 == 1 ? 40 : 1000000;
        fill(score, n, values, (uint32_t)(2 * trial + 1));
        fill(truth, n, trial % 2 ? 7 : 100000, (uint32_t)(1000003 + 2 * trial));
        const ag_pairs fast = count_pairs(score, truth, n), slow = by_force(score, truth, n);
        assert_memory_equal(&fast, &slow, sizeof fast);
    }
}

static void agrees_with_scipy(void **state)
{
    static const struct {
        int n;
        uint32_t score, truth;
        double tau;
    } cases[] = {{10, 5, 5, -0.08451542547285167},
                 {50, 10, 20, -0.062836828859529},
                 {200, 1000, 7, 0.067495273647309},
                 {1000, 50, 1000000, 0.028287506890357573}};
    double score[1000], truth[1000];
    for (int i = 0; i < 4; i++) {
        fill(score, cases[i].n, cases[i].score, 12345);
        fill(truth, cases[i].n, cases[i].truth, 54321);
        const ag_pairs p = count_pairs(score, truth, cases[i].n);
        assert_true(fabs(ag_tau_b(&p) - cases[i].tau) < 1e-14);
    }
}

static void small_cases(void **state)
{
    ag_pairs p = count_pairs((double[]){1, 2, 3, 4, 5}, (double[]){3, 1, 2, 5, 4}, 5);
    assert_true(fabs(ag_tau_b(&p) - 0.4) < 1e-15 && fabs(ag_tau_a(&p) - 0.4) < 1e-15);
    assert_true(ag_opa(&p) == 0.7);
    /* a tie of run times is not a pair, a tie of scores is a wrong pair: of 5 ordered pairs 3 are
     * right */
    p = count_pairs((double[]){1, 1, 2, 3}, (double[]){2, 3, 1, 3}, 4);
    assert_true(ag_opa(&p) == 2.0 / 5);
    assert_true(ag_tied(&p) == 1.0 / 6); /* of all pairs, those with equal run times, too */
    p = count_pairs((double[]){1, 1, 1}, (double[]){1, 2, 3}, 3);
    assert_true(ag_tau_b(&p) == 0 && ag_tau_a(&p) == 0 && ag_opa(&p) == 0);
    assert_true(ag_tied(&p) == 1);
    p = count_pairs((double[]){1, 2, 3}, (double[]){5, 5, 5}, 3);
    assert_true(isnan(ag_tau_b(&p)) && isnan(ag_opa(&p)));
    for (int n = 0; n < 2; n++) {
        p = count_pairs((double[]){1}, (double[]){1}, n);
        assert_true(isnan(ag_tau_b(&p)) && isnan(ag_tau_a(&p)) && isnan(ag_opa(&p)));
        assert_true(isnan(ag_tied(&p)));
    }
}

/* Run times that differ by 1 ns at 9e8 ns are the same number in float, not in double. */
static void keeps_nanoseconds_apart(void **state)
{
    const double score[] = {1, 2}, ns[] = {900000000, 900000001};
    assert_int_equal(count_pairs(score, ns, 2).concordant, 1);
}

static void many_items(void **state)
{
    enum { N = 200000 };
    static double score[N], truth[N];
    for (int i = 0; i < N; i++) score[i] = -i, truth[i] = i;
    const ag_pairs p = count_pairs(score, truth, N);
    assert_true(p.discordant == (int64_t)N * (N - 1) / 2 && ag_tau_b(&p) == -1);
}

static void refuses_what_is_not_finite(void **state)
{
    ag_pairs p;
    int64_t order[3];
    ag_choice choice;
    double good[3] = {1, 2, 3}, bad[3] = {1, (double)NAN, 3}, wide[3] = {1, 2, (double)INFINITY};
    ag_failure why = {0}, other = {0}, third = {0};
    assert_int_equal(ag_pairs_count(&p, bad, good, 3, &why), AG_EFINITE);
    assert_string_equal(why.sentence,
                        "ag_pairs_count: score 1 of 3 is nan; only finite numbers can be ranked");
    assert_int_equal(ag_pairs_count(&p, good, wide, 3, &other), AG_EFINITE);
    assert_string_equal(other.sentence,
                        "ag_pairs_count: truth 2 of 3 is inf; only finite numbers can be ranked");
    assert_int_equal(ag_order(order, bad, 3, &third), AG_EFINITE);
    assert_int_equal(ag_choose(&choice, bad, good, 3, 1, &third), AG_EFINITE);
}

static void orders_ties_by_index(void **state)
{
    int64_t order[6];
    expect_ok(ag_order(order, (double[]){2, 1, 2, 0, 1, 2}, 6, new_failure()));
    assert_memory_equal(order, ((int64_t[]){3, 1, 4, 0, 2, 5}), sizeof order);
}

static ag_choice choose(const double *score, const double *truth, int n, int k)
{
    ag_choice c;
    expect_ok(ag_choose(&c, score, truth, n, k, new_failure()));
    return c;
}

static void looks_at_the_best_predicted(void **state)
{
    const double score[5] = {3, 1, 2, 5, 4}, truth[5] = {10, 30, 20, 15, 12};
    ag_choice c = choose(score, truth, 5, 1);
    assert_true(ag_slowdown(&c) == 2.0 && c.top == 1 / 3.0 && c.recall == 0);
    c = choose(score, truth, 5, 2);
    assert_true(ag_slowdown(&c) == 1.0 && c.least == 20 && c.mean == 25);
    assert_true(c.best_least == 10 && c.best_mean == 11 && c.recall == 0);
    c = choose(score, truth, 5, 3); /* 30, 20, 10 against 10, 12, 15 */
    assert_true(ag_slowdown(&c) == 0 && c.recall == 1 / 3.0);
    c = choose(score, truth, 5, 100);
    assert_true(ag_slowdown(&c) == 0.0 && c.top == 1 && c.recall == 1);
    assert_true(c.mean == c.best_mean);
}

static void near(double got, double must)
{
    if (!(fabs(got - must) <= 1e-9 * fabs(must))) fail_msg("%.17g, not %.17g", got, must);
}

/* The mean over all sets of k items that have no better one outside of them. */
static ag_choice choose_by_force(const double *score, const double *truth, int n, int k)
{
    ag_choice of = choose(score, truth, n, k), sum = {0};
    double sorted[8], ways = 0;
    memcpy(sorted, truth, (size_t)n * sizeof *truth);
    for (int i = 1; i < n; i++)
        for (int j = i; j && sorted[j] < sorted[j - 1]; j--) {
            const double larger = sorted[j - 1];
            sorted[j - 1] = sorted[j];
            sorted[j] = larger;
        }
    for (int set = 0; set < 1 << n; set++) {
        double inside = -1e9, outside = 1e9, least = 1e9, all = 0, hits = 0;
        int size = 0;
        for (int i = 0; i < n; i++) {
            if (!(set >> i & 1)) {
                outside = fmin(outside, score[i]);
                continue;
            }
            size++;
            inside = fmax(inside, score[i]);
            least = fmin(least, truth[i]);
            all += truth[i];
            hits += truth[i] <= sorted[k - 1];
        }
        if (size != k || inside > outside) continue;
        ways++;
        sum.least += least;
        sum.mean += all / k;
        sum.top += sorted[0] / least;
        sum.recall += hits / k;
    }
    of.least = sum.least / ways;
    of.mean = sum.mean / ways;
    of.top = sum.top / ways;
    of.recall = sum.recall / ways;
    return of;
}

static void equal_scores_are_drawn(void **state)
{
    double score[8], truth[8];
    for (int trial = 0; trial < 200; trial++) {
        const int n = 1 + trial % 8;
        fill(score, n, 1 + (uint32_t)trial % 5, (uint32_t)(2 * trial + 1));
        fill(truth, n, trial % 3 ? 1000 : 4, (uint32_t)(1000003 + 2 * trial));
        for (int i = 0; i < n; i++) truth[i]++;
        for (int k = 1; k <= n; k++) {
            const ag_choice fast = choose(score, truth, n, k),
                            slow = choose_by_force(score, truth, n, k);
            near(fast.least, slow.least);
            near(fast.mean, slow.mean);
            near(fast.top, slow.top);
            near(fast.recall, slow.recall);
        }
    }
    const ag_choice two = choose((double[]){1, 1}, (double[]){4, 2}, 2, 1);
    assert_true(two.least == 3 && two.mean == 3 && two.top == 0.75 && two.recall == 0.5);
    /* one is sure, and one of the three others comes to it: 20, 10 or 30 */
    const ag_choice three = choose((double[]){2, 1, 2, 2}, (double[]){10, 25, 20, 30}, 4, 2);
    assert_true(three.mean == 22.5 && three.recall == 1 / 3.0);
    near(three.least, (10 + 20 + 25) / 3.0);
}

/* Of 1, 2, ... N the expected least of k is (N + 1) / (k + 1). */
static void many_equal_scores(void **state)
{
    enum { N = 100000 };
    static double score[N], truth[N];
    static const int k[] = {1, 2, 5, 100, 50000, N - 1, N};
    for (int i = 0; i < N; i++) truth[i] = N - i;
    for (int i = 0; i < 7; i++) {
        const ag_choice c = choose(score, truth, N, k[i]);
        near(c.least, (N + 1) / (double)(k[i] + 1));
        near(c.mean, (N + 1) / 2.0);
        near(c.recall, k[i] / (double)N);
    }
}

static void refuses_what_cannot_be_chosen(void **state)
{
    ag_choice c;
    ag_failure why = {0}, other = {0};
    assert_int_equal(ag_choose(&c, (double[]){1, 2}, (double[]){5, 0}, 2, 1, &why), AG_EDATA);
    assert_string_equal(why.sentence, "ag_choose: truth 1 of 2 is 0; truths must be above 0");
    assert_int_equal(ag_choose(&c, (double[]){1}, (double[]){5}, 1, 0, &other), AG_EUSE);
    assert_string_equal(other.sentence, "ag_choose: k is 0 and n is 1; both must be at least 1");
}

static double pairwise_by_force(const double *score, const double *truth, int n, double share)
{
    int64_t pairs = 0, halves = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            if (!(fabs(truth[i] - truth[j]) > share * fmin(truth[i], truth[j]))) continue;
            pairs++;
            halves += score[i] == score[j]                             ? 1
                      : (score[i] < score[j]) == (truth[i] < truth[j]) ? 2
                                                                       : 0;
        }
    return pairs ? (double)halves / (2 * (double)pairs) : (double)NAN;
}

static void pairs_that_differ_enough(void **state)
{
    static const double share[] = {0, 0.02, 0.3, 1};
    double score[60], truth[60], fast;
    for (int trial = 0; trial < 400; trial++) {
        const int n = trial % 60;
        fill(score, n, trial % 3 ? 10 : 100000, (uint32_t)(2 * trial + 1));
        fill(truth, n, trial % 2 ? 30 : 100000, (uint32_t)(1000003 + 2 * trial));
        for (int i = 0; i < n; i++) truth[i]++;
        expect_ok(ag_pairwise(&fast, score, truth, n, share[trial % 4], new_failure()));
        const double slow = pairwise_by_force(score, truth, n, share[trial % 4]);
        assert_true(fast == slow || (isnan(fast) && isnan(slow)));
    }
    /* 160, 80, 101, 100 */
    const double four[] = {-1, -3, -4, -2}, times[] = {100, 80, 160, 101};
    expect_ok(ag_pairwise(&fast, four, times, 4, 0, new_failure())); /* 100-101 counts as wrong */
    assert_true(fast == 2 / 6.0);
    expect_ok(ag_pairwise(&fast, four, times, 4, 0.3, new_failure())); /* only those with 160 */
    assert_true(fast == 0);
    expect_ok(ag_pairwise(&fast, (double[]){1, 2}, (double[]){7, 9}, 2, 0.3, new_failure()));
    assert_true(isnan(fast)); /* they differ by 28.6 % */
    assert_int_equal(ag_pairwise(&fast, four, times, 4, (double)NAN, new_failure()), AG_EUSE);
    assert_string_equal(last_failure()->sentence,
                        "ag_pairwise: pairs must differ by nan, but a share is from 0 to 1");
    assert_int_equal(
        ag_pairwise(&fast, (double[]){1, (double)NAN}, (double[]){7, 9}, 2, 0, new_failure()),
        AG_EFINITE);
    expect_ok(ag_pairwise(&fast, (double[]){1, 2}, (double[]){-3, -2}, 2, 0, new_failure()));
    assert_true(fast == 1);
    assert_int_equal(
        ag_pairwise(&fast, (double[]){1, 2}, (double[]){-3, -2}, 2, 0.1, new_failure()), AG_EDATA);
    assert_true(isnan(fast));
}

static void equal_values_share_a_place(void **state)
{
    static const double value[] = {7, -2, 7, 0.5, 7, -2}, place[] = {4, 0.5, 4, 2, 4, 0.5};
    double have[6];
    expect_ok(ag_places(have, value, 6, new_failure()));
    assert_memory_equal(have, place, sizeof place);
    assert_int_equal(ag_places(have, (double[]){1, (double)NAN}, 2, new_failure()), AG_EFINITE);
}

int main(void)
{
    return RUN_TESTS(equal_values_share_a_place, counts_pairs_as_brute_force_does,
                     agrees_with_scipy, small_cases, keeps_nanoseconds_apart, many_items,
                     refuses_what_is_not_finite, orders_ties_by_index, looks_at_the_best_predicted,
                     equal_scores_are_drawn, many_equal_scores, refuses_what_cannot_be_chosen,
                     pairs_that_differ_enough);
}
