/* SPDX-License-Identifier: MIT */
/* Paired differences against values of scipy 1.17: stats.t, ttest_rel and, since it is Welch's
   formula, ttest_ind_from_stats. */
#include "support/test.h"
#include "examples/harness/study/study_internal.h"

#define NONE ((double)NAN)

static void near(double got, double expected) { expect_number(got, expected, 1e-9); }

static void student(void **state)
{
    static const double p[][3] = {{1, 1, 0.5},
                                  {2.5, 2, 0.12961172022151082},
                                  {-3.1, 4.7, 0.029165614221150736},
                                  {0.3, 30.5, 0.7662123483030446},
                                  {12, 8, 2.143866747688769e-06},
                                  {2, 1000, 0.04577034649325166},
                                  {40, 2, 0.0006244146721847406},
                                  {0, 3, 1}};
    static const double t[][2] = {{1, 12.706204736174694}, {1.5, 6.016663104427929},
                                  {2, 4.302652729749462},  {3.7, 2.8675207071911895},
                                  {10, 2.228138851986274}, {100, 1.9839715185235518},
                                  {1e6, 1.959966356814107}};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        near(harness_student_p(p[i][0], p[i][1]) / p[i][2], 1);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) near(harness_student_95(t[i][0]), t[i][1]);
}

static void expect(harness_paired x, const double expected[4], int seeds, int groups)
{
    near(x.mean, expected[0]);
    near(x.low, expected[1]);
    near(x.high, expected[2]);
    near(x.p, expected[3]);
    assert_int_equal(x.seeds, seeds);
    assert_int_equal(x.groups, groups);
}

static const double of[12] = {.71, .55, .80, .62, .73, .52, .79, .66, .70, .58, .83, .61},
                    base[12] = {.70, .50, .81, .60, .69, .51, .80, .60, .68, .53, .80, .62};

static void seeds_and_groups(void **state)
{
    static const double all[4] = {0.021666666666666657, 0.0006999745219964451, 0.04263335881133687,
                                  0.04573113722887874},
                        seeds_alone[4] = {0.023333333333333317, -0.014612497002634346,
                                          0.06127916366930098, 0.11808289631180365};
    expect(harness_pair(of, base, 3, 4), all, 3, 4);
    expect(harness_pair((const double[]){.71, .73, .70}, (const double[]){.70, .69, .68}, 3, 1),
           seeds_alone, 3, 1);
}

/* A seed that diverged is left out, and a group without a value of one of the other seeds. */
static void missing_values(void **state)
{
    static const double some[4] = {0.009999999999999972, -0.0062928564237843525,
                                   0.026292856423784296, 0.1305149513229085};
    double less[12];
    memcpy(less, of, sizeof of);
    for (int g = 0; g < 4; g++) less[4 + g] = NONE;
    less[1] = NONE;
    expect(harness_pair(less, base, 3, 4), some, 2, 3);
    for (int i = 0; i < 12; i++) less[i] = NONE;
    const harness_paired none = harness_pair(less, base, 3, 4);
    assert_true(isnan(none.mean) && isnan(none.low) && isnan(none.p) && !none.seeds);
}

/* Where no group has both seeds nothing pairs, in whatever order seeds and groups are. */
static void no_common_group(void **state)
{
    const double apart[2][4] = {{.71, NONE, NONE, .73}, {NONE, .55, .52, NONE}},
                 lacks[3][6] = {{.71, NONE, .80, NONE, .52, .79},
                                {NONE, .71, .80, .52, NONE, .79},
                                {.80, .71, NONE, .79, NONE, .52}};
    for (int i = 0; i < 2; i++) {
        const harness_paired x = harness_pair(apart[i], base, 2, 2);
        assert_true(isnan(x.mean) && x.seeds == 0 && x.groups == 0);
    }
    for (int i = 0; i < 3; i++) {
        const harness_paired x = harness_pair(lacks[i], (const double[6]){0}, 2, 3);
        near(x.mean, (.80 + .79) / 2);
        assert_true(x.seeds == 2 && x.groups == 1);
    }
}

static void no_interval(void **state)
{
    const harness_paired one = harness_pair(of, base, 1, 4), same = harness_pair(of, of, 3, 4);
    near(one.mean, 0.0175);
    assert_true(isnan(one.low) && isnan(one.high) && isnan(one.p) && one.seeds == 1);
    assert_true(same.mean == 0 && same.low == 0 && same.high == 0 && isnan(same.p));
}

int main(void)
{
    return RUN_TESTS(student, seeds_and_groups, missing_values, no_common_group, no_interval);
}
