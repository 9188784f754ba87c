/* SPDX-License-Identifier: MIT */
/* Parts at random: shares, groups, folds. */
#include "support/test.h"
#include "core/internal.h"
#include "core/random.h"

enum { N = 1000 };

static int members(const int32_t *part, int k)
{
    int32_t which[N];
    const int n = ag_part(which, part, N, k, 0);
    for (int i = 0; i < n; i++) assert_int_equal(part[which[i]], k);
    assert_int_equal(ag_part(which, part, N, k, 1), N - n);
    for (int i = 0; i < N - n; i++) assert_int_not_equal(part[which[i]], k);
    return n;
}

static void test_shares(void **state)
{
    static const double share[] = {0.8, 0.1, 0.1};
    int32_t part[N], again[N], other[N];
    expect_ok(ag_split(part, NULL, N, share, 3, 1, new_failure()));
    expect_ok(ag_split(again, NULL, N, share, 3, 1, new_failure()));
    expect_ok(ag_split(other, NULL, N, share, 3, 2, new_failure()));
    assert_memory_equal(part, again, sizeof part);
    assert_memory_not_equal(part, other, sizeof part);
    assert_int_equal(members(part, 0), 800);
    assert_int_equal(members(part, 1), 100);
    assert_int_equal(members(part, 2), 100);
    int early = 0; /* a random split is not a cut: about 80 of the first hundred are in part 0 */
    for (int i = 0; i < 100; i++) early += part[i] == 0;
    assert_in_range(early, 65, 95);
}

static void test_folds(void **state)
{
    int32_t part[N];
    assert_int_equal(ag_split(part, NULL, N, NULL, 7, 3, NULL), AG_OK);
    for (int k = 0; k < 7; k++) assert_in_range(members(part, k), 142, 143);
}

static void test_groups(void **state)
{
    static const double share[] = {0.5, 0, 0.5};
    int32_t group[N], part[N], of[100];
    for (int i = 0; i < N; i++) group[i] = (i * 37 % 100) - 50;
    memset(of, -1, sizeof of);
    assert_int_equal(ag_split(part, group, N, share, 3, 1, NULL), AG_OK);
    for (int i = 0; i < N; i++) {
        int32_t *its = &of[group[i] + 50];
        if (*its >= 0) assert_int_equal(part[i], *its);
        *its = part[i];
    }
    assert_int_equal(members(part, 0), 500);
    assert_int_equal(members(part, 1), 0);
}

static void test_refused(void **state)
{
    static const double more[] = {0.8, 0.4}, negative[] = {1.5, -0.5}, nan[] = {NAN, 1};
    int32_t part[4];
    const struct {
        const double *share;
        int n, parts;
        const char *says;
    } cases[] = {{more, 4, 2, "are 1.2 together"},
                 {negative, 4, 2, "part 0 is 1.5"},
                 {nan, 4, 2, "part 0 is nan"},
                 {NULL, 4, 0, "cannot have 0 parts"},
                 {NULL, -1, 2, "-1 items"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_status(
            ag_split(part, NULL, cases[i].n, cases[i].share, cases[i].parts, 1, new_failure()),
            AG_EUSE, cases[i].says);
    assert_int_equal(ag_split(part, NULL, 0, NULL, 2, 1, NULL), AG_OK);
    for (long nth = 1; nth <= 2; nth++) {
        ag__fail_allocation(nth, 0);
        assert_int_equal(ag_split(part, NULL, 4, NULL, 2, 1, NULL), AG_EMEMORY);
        ag__fail_allocation(0, 0);
    }
}

int main(void) { return RUN_TESTS(test_shares, test_folds, test_groups, test_refused); }
