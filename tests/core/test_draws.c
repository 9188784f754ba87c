/* SPDX-License-Identifier: MIT */
/* Draws from a softmax: their shares, that they repeat, and numbers at the ends of their range. */
#include "support/test.h"
#include "core/random.h"

enum { DRAWS = 200000 };

/* Within five deviations of what the probabilities make expect, and never what cannot be. */
static void expect_shares(const float *logits, int n, double temperature)
{
    ag_random random = {17, (uint64_t)n, 0};
    int counts[8] = {0};
    double p[8], total = 0;
    for (int i = 0; i < n; i++) total += p[i] = exp((double)logits[i] / temperature);
    for (int k = 0; k < DRAWS; k++) {
        const int i = ag_sample_softmax(logits, n, temperature, &random);
        assert_in_range(i, 0, n - 1);
        counts[i]++;
    }
    assert_int_equal(random.position, DRAWS);
    for (int i = 0; i < n; i++) expect_share(counts[i], DRAWS, p[i] / total);
}

static void test_draws_follow_the_softmax(void **state)
{
    static const float logits[] = {0, 1, -2, 0.5f, -INFINITY, 2, -9, 2};
    expect_shares(logits, 8, 1);
    expect_shares(logits, 8, 0.5);
    expect_shares(logits, 8, 30);
    expect_shares(logits, 1, 1);
}

static void test_draws_repeat(void **state)
{
    static const float logits[] = {0, 1, -2, 0.5f};
    ag_random a = {3, 0, 0}, b = {3, 0, 0}, c = {4, 0, 0};
    int others = 0;
    for (int k = 0; k < 1000; k++) {
        const int drawn = ag_sample_softmax(logits, 4, 0.8, &a);
        assert_int_equal(ag_sample_softmax(logits, 4, 0.8, &b), drawn);
        others += ag_sample_softmax(logits, 4, 0.8, &c) != drawn;
    }
    assert_in_range(others, 500, 800);
}

static void test_draws_at_the_ends(void **state)
{
    static const float tie[] = {1, 3, 3}, nothing[] = {-INFINITY, -INFINITY};
    static const float infinite[] = {1, INFINITY, INFINITY}, strange[] = {INFINITY, NAN, 9, NAN};
    static const float masked[] = {-INFINITY, 7, -INFINITY}, large[] = {1e38f, -1e38f, 3e38f};
    ag_random random = {1, 2, 3};
    assert_int_equal(ag_sample_softmax(tie, 3, 0, &random), 1);
    assert_int_equal(ag_sample_softmax(nothing, 2, 1, &random), 0);
    assert_int_equal(ag_sample_softmax(infinite, 3, 1, &random), 1);
    assert_int_equal(ag_sample_softmax(strange, 4, 1, &random), 1);
    assert_int_equal(ag_sample_softmax(tie, 0, 1, &random), -1);
    assert_int_equal(ag_sample_softmax(tie, -3, 1, &random), -1);
    assert_int_equal(ag_sample_softmax(tie, 3, -1, &random), -1);
    assert_int_equal(ag_sample_softmax(tie, 3, (double)NAN, &random), -1);
    assert_int_equal(random.position, 3);
    for (int k = 0; k < 100; k++) {
        assert_int_equal(ag_sample_softmax(masked, 3, 1, &random), 1);
        assert_int_equal(ag_sample_softmax(masked, 3, (double)INFINITY, &random), 1);
        assert_int_equal(ag_sample_softmax(large, 3, 1e-300, &random), 2);
        assert_in_range(ag_sample_softmax(tie, 3, 5e-324, &random), 1, 2);
    }
}

int main(void)
{
    return RUN_TESTS(test_draws_follow_the_softmax, test_draws_repeat, test_draws_at_the_ends);
}
