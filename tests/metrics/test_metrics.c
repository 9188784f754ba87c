/* SPDX-License-Identifier: MIT */
/* Measures of the arrays of tensors, and what all measures do without memory. */
#include "support/test.h"
#include "core/internal.h"
#include "core/random.h"
#include "metrics/metrics.h"

static const ag_real nan_real = (ag_real)NAN;

static void accuracy_counts_the_largest_logit(void **state)
{
    const ag_real z[5][3] = {{1, 3, 2}, {2, 2, 1}, {2, 2, 1}, {-1, -3, -2}, {0, nan_real, 9}};
    const int32_t right[] = {1, 0, 0, 0, -1}, some[] = {1, 1, -1, 2, 0}, none[] = {-1, -1};
    assert_true(ag_accuracy(z[0], right, 5, 3) == 1);
    assert_true(ag_accuracy(z[0], some, 5, 3) == 0.25); /* the first of equal logits counts */
    for (int k = 0; k < 3; k++) assert_true(ag_accuracy(z[4], &(int32_t){k}, 1, 3) == 0);
    assert_true(isnan(ag_accuracy(z[0], none, 2, 3)));
    assert_true(isnan(ag_accuracy(z[0], right, 0, 3)));
    assert_true(isnan(ag_accuracy(z[0], (int32_t[]){1, 3}, 2, 3)));
    assert_true(isnan(ag_accuracy(z[0], (int32_t[]){1, -2}, 2, 3)));
}

static double auc_by_force(const ag_real *score, const int32_t *label, int n)
{
    int64_t halves = 0, pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (label[i] == 1 && label[j] == 0) {
                pairs++;
                halves += (score[i] > score[j]) + (score[i] >= score[j]);
            }
    return pairs ? (double)halves / 2 / (double)pairs : (double)NAN;
}

static void auc_is_the_share_of_pairs(void **state)
{
    ag_real score[70];
    int32_t label[70];
    ag_random r = {1, 2, 0};
    for (int trial = 0; trial < 300; trial++) {
        const int n = trial % 70;
        for (int i = 0; i < n; i++) {
            score[i] = (ag_real)ag_random_below(&r, trial % 2 ? 5 : 1000) - 2;
            label[i] = (int32_t)ag_random_below(&r, 3) - 1;
        }
        const double fast = ag_roc_auc(score, label, n), slow = auc_by_force(score, label, n);
        assert_true(fast == slow || (isnan(fast) && isnan(slow)));
    }
    /* the example of scikit-learn's page on roc_auc_score */
    const ag_real four[] = {(ag_real)0.1, (ag_real)0.4, (ag_real)0.35, (ag_real)0.8};
    assert_true(ag_roc_auc(four, (int32_t[]){0, 0, 1, 1}, 4) == 0.75);
    assert_true(isnan(ag_roc_auc(four, (int32_t[]){1, 1, 1, 1}, 4)));
    assert_true(isnan(ag_roc_auc(four, (int32_t[]){0, 0, 2, 1}, 4)));
    assert_true(isnan(ag_roc_auc((ag_real[]){1, nan_real}, (int32_t[]){0, 1}, 2)));
    assert_true(isnan(ag_roc_auc(four, (int32_t[]){0, 1}, -2)));
}

static void tau_of_arrays_of_tensors(void **state)
{
    const ag_real score[] = {1, 2, 3, 4, 5}, truth[] = {3, 1, 2, 5, 4}, same[5] = {0};
    expect_number(ag_kendall_tau(score, truth, 5), 0.4, 1e-8);
    assert_true(ag_kendall_tau(same, truth, 5) == 0);
    assert_true(isnan(ag_kendall_tau(score, same, 5)));
    assert_true(isnan(ag_kendall_tau(score, truth, 1)));
    assert_true(isnan(ag_kendall_tau(score, (ag_real[]){1, nan_real}, 2)));
}

static void tau_of_groups(void **state)
{
    const ag_real score[] = {1, 2, 3, 4, 5, 1, 2, 9, 8, 7},
                  truth[] = {3, 1, 2, 5, 4, 2, 1, 6, 6, 6};
    const ag_real strange[] = {1, nan_real, 3, 4, 5, 1, 2, 9, 8, 7};
    const int32_t starts[] = {0, 5, 7, 7, 10}; /* the last two groups have no order */
    expect_number(ag_kendall_tau_groups(score, truth, starts, 1), 0.4, 1e-8);
    expect_number(ag_kendall_tau_groups(score, truth, starts, 4), (0.4 - 1) / 2, 1e-8);
    assert_true(isnan(ag_kendall_tau_groups(strange, truth, starts, 4)));
    assert_true(isnan(ag_kendall_tau_groups(score, strange, starts, 4)));
    assert_true(isnan(ag_kendall_tau_groups(score, truth, starts + 2, 2)));
    assert_true(isnan(ag_kendall_tau_groups(score, truth, starts, 0)));
    assert_true(isnan(ag_kendall_tau_groups(score, truth, (int32_t[]){5, 0}, 1)));
    assert_true(isnan(ag_kendall_tau_groups(score, truth, (int32_t[]){-1, 4}, 1)));
}

/* The example of scikit-learn's pages. */
static void errors_of_numbers(void **state)
{
    const ag_real target[] = {3, (ag_real)-0.5, 2, 7}, y[] = {(ag_real)2.5, 0, 2, 8};
    expect_number(ag_mae(y, target, 4), 0.5, 1e-8);
    expect_number(ag_rmse(y, target, 4), 0.6123724356957945, 1e-8);
    expect_number(ag_mape(y, target, 4), 32.73809523809524, 1e-8);
    expect_number(ag_r2(y, target, 4), 0.9486081370449679, 1e-8);
    assert_true(ag_r2(target, target, 4) == 1);
    const ag_real even[] = {(ag_real)0.1, (ag_real)0.1, (ag_real)0.1}, zero[] = {0, 1, 2};
    assert_true(isnan(ag_r2(zero, even, 3)) && ag_mae(even, even, 3) == 0);
    assert_true(isnan(ag_mape(even, zero, 3)) && isfinite(ag_mae(even, zero, 3)));
    assert_true(isnan(ag_mae(y, target, 0)) && isnan(ag_rmse(y, target, 0)));
    assert_true(isnan(ag_mape(y, target, -1)) && isnan(ag_r2(y, target, 0)));
    assert_true(isnan(ag_mae((ag_real[]){1, nan_real}, zero, 2)));
    assert_true(isnan(ag_r2(zero, (ag_real[]){1, nan_real}, 2)));
}

/* ---- memory ---- */

static ag_status call(int which, ag_failure *why)
{
    static const double score[] = {3, 1, 2}, truth[] = {1, 2, 3};
    ag_pairs pairs;
    ag_choice choice;
    int64_t order[3];
    double number[3];
    switch (which) {
    case 0: return ag_pairs_count(&pairs, score, truth, 3, why);
    case 1: return ag_pairwise(number, score, truth, 3, 0.1, why);
    case 2: return ag_order(order, score, 3, why);
    case 3: return ag_places(number, score, 3, why);
    default: return ag_choose(&choice, score, truth, 3, 2, why);
    }
}

static void lack_of_memory_is_told(void **state)
{
    const ag_real score[] = {1, 2}, truth[] = {2, 3};
    for (int which = 0; which < 5; which++) {
        ag_status status = AG_EMEMORY;
        long n = 1;
        for (; status != AG_OK; n++) {
            ag__fail_allocation(n, 0);
            status = call(which, new_failure());
            ag__fail_allocation(0, 0);
            if (status == AG_OK) continue;
            expect_sentence(last_failure(), AG_EMEMORY, "there is no memory to sort 3 items");
        }
        assert_true(n > 2);
    }
    for (long n = 1; n <= 3; n++) {
        ag__fail_allocation(n, 0);
        const double auc = ag_roc_auc(score, (int32_t[]){0, 1}, 2);
        ag__fail_allocation(n, 0);
        const double tau = ag_kendall_tau(score, truth, 2);
        ag__fail_allocation(0, 0);
        assert_true(isnan(auc) && isnan(tau));
    }
    assert_true(ag_kendall_tau(score, truth, 2) == 1);
}

static void a_negative_number_of_items_is_refused(void **state)
{
    int64_t order[1];
    assert_int_equal(ag_order(order, &(double){1}, -1, new_failure()), AG_EUSE);
    assert_string_equal(last_failure()->sentence, "ag_order: n is -1, but it must be 0 or more");
    ag_pairs p;
    double share;
    const double one[] = {1};
    assert_int_equal(ag_pairs_count(&p, one, one, -1, NULL), AG_EUSE);
    assert_int_equal(ag_pairwise(&share, one, one, -1, 0, NULL), AG_EUSE);
    assert_int_equal(ag_places(&share, one, INT64_MIN, NULL), AG_EUSE);
}

int main(void)
{
    return RUN_TESTS(accuracy_counts_the_largest_logit, auc_is_the_share_of_pairs,
                     tau_of_arrays_of_tensors, tau_of_groups, errors_of_numbers,
                     lack_of_memory_is_told, a_negative_number_of_items_is_refused);
}
