/* SPDX-License-Identifier: MIT */
/* Dropout: the dropped elements depend on seed, step, number of the dropout and element, and on
   nothing else. */
#include "support/test.h"
#include "augur.h"
#include "support/tape.h"

enum { N = 100003 };

static float ones[N], first[N], second[N];

/* The nth dropout of a tape on ones. */
static void drop(float *out, ag_tape *tape, uint64_t seed, uint64_t step, int nth, float p)
{
    ag_tape_reset(tape);
    ag_tape_seed(tape, seed, step);
    ag_tensor *x = ag_input(tape, ones, AG_SHAPE(N)), *y = x;
    for (int i = 0; i < nth; i++) y = ag_dropout(x, p);
    ag_forward(y);
    assert_string_equal(ag_error(tape), "");
    memcpy(out, ag_values(y), N * sizeof *out);
}

static void test_share_and_scale(void **state)
{
    static const float shares[] = {0.01f, 0.3f, 0.5f, 0.9f};
    for (int k = 0; k < 4; k++) {
        const double p = (double)shares[k];
        double dropped = 0, pairs = 0;
        drop(first, tape, 7, 3, 1, shares[k]);
        for (int i = 0; i < N; i++) {
            const float kept = (float)(1 / (1 - p));
            assert_true(first[i] == 0 || fabsf(first[i] - kept) < 1e-5f * kept);
            dropped += first[i] == 0;
            pairs += i && first[i] == 0 && first[i - 1] == 0;
        }
        assert_true(fabs(dropped / N - p) < 5 * sqrt(p * (1 - p) / N)); /* 5 deviations */
        assert_true(fabs(pairs / N - p * p) < 7 * sqrt(p * p / N)); /* neighbours are independent */
    }
}

static double agreement(const float *a, const float *b)
{
    int same = 0;
    for (int i = 0; i < N; i++) same += (a[i] == 0) == (b[i] == 0);
    return (double)same / N;
}

static void test_what_it_depends_on(void **state)
{
    ag_tape *again = ag_tape_new(test_device());
    drop(first, tape, 7, 3, 1, 0.5f);
    drop(second, tape, 7, 3, 1, 0.5f);
    assert_memory_equal(first, second, sizeof first);
    drop(second, again, 7, 3, 1, 0.5f);
    assert_memory_equal(first, second, sizeof first);
    const struct {
        uint64_t seed, step;
        int nth;
    } others[] = {
        {8, 3, 1}, {7, 4, 1}, {7, 3, 2}, {7 + (1ull << 32), 3, 1}, {7, 3 + (1ull << 32), 1}};
    for (int i = 0; i < 5; i++) {
        drop(second, tape, others[i].seed, others[i].step, others[i].nth, 0.5f);
        assert_true(fabs(agreement(first, second) - 0.5) < 0.01);
    }
    ag_tape_free(again);
}

/* Of any seed, step and element. */
static void test_devices_draw_alike(void **state)
{
    ag_tape *here = ag_tape_new(AG_CPU);
    drop(first, here, 7 + (5ull << 40), 3 + (1ull << 33), 2, 0.3f);
    drop(second, tape, 7 + (5ull << 40), 3 + (1ull << 33), 2, 0.3f);
    assert_memory_equal(first, second, sizeof first);
    ag_tape_free(here);
}

static void test_identity(void **state)
{
    ag_tensor *x = ag_input(tape, ones, AG_SHAPE(N));
    assert_int_equal(ag_is_training(tape), 1);
    assert_ptr_equal(ag_dropout(x, 0), x);
    assert_ptr_not_equal(ag_dropout(x, 0.5f), x);
    ag_tape_training(tape, 0);
    assert_int_equal(ag_is_training(tape), 0);
    assert_ptr_equal(ag_dropout(x, 0.5f), x);
}

int main(void)
{
    for (int i = 0; i < N; i++) ones[i] = 1;
    return RUN_TESTS_EACH(tape_make, tape_drop, test_share_and_scale, test_what_it_depends_on,
                          test_devices_draw_alike, test_identity);
}
