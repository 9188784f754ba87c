/* SPDX-License-Identifier: MIT */
/* Learning rates. */
#include "optim/optim.h"
#include "support/test.h"

/* The formulas of transformers' get_cosine_ and get_linear_schedule_with_warmup, evaluated in
 * Python. */
static void schedules_follow_their_formulas(void **state)
{
    const struct {
        int64_t step;
        double cosine, linear;
    } want[] = {
        {0, 0.0, 0.0},
        {1, 1e-05, 1e-05},
        {99, 0.00099, 0.00099},
        {100, 0.001, 0.001},
        {101, 0.0009999993165095463, 0.0009994736842105264},
        {1050, 0.0005, 0.0005},
        {1999, 6.834904537900144e-10, 5.263157894736842e-07},
        {2000, 0.0, 0.0},
        {5000, 0, 0},
        {-3, 0, 0},
    };
    ag_schedule s = {.lr = 1e-3, .warmup = 100, .total = 2000};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        s.kind = AG_COSINE;
        expect_number(ag_schedule_at(&s, want[i].step), want[i].cosine, 1e-15);
        s.kind = AG_LINEAR;
        expect_number(ag_schedule_at(&s, want[i].step), want[i].linear, 1e-15);
    }
    s = (ag_schedule){.kind = AG_CONSTANT, .lr = 0.25, .warmup = 4};
    expect_number(ag_schedule_at(&s, 1), 0.0625, 1e-15);
    expect_number(ag_schedule_at(&s, 4), 0.25, 1e-15);
    expect_number(ag_schedule_at(&s, 1000000), 0.25, 1e-15);
    s = (ag_schedule){.kind = AG_EXPONENTIAL, .lr = 0.01, .rate = 0.9, .every = 500};
    expect_number(ag_schedule_at(&s, 0), 0.01, 1e-15);
    expect_number(ag_schedule_at(&s, 1), 0.009997893011688016, 1e-15);
    expect_number(ag_schedule_at(&s, 500), 0.009000000000000001, 1e-15);
    expect_number(ag_schedule_at(&s, 1234), 0.007710286453218737, 1e-15);
    s.warmup = 10;
    expect_number(ag_schedule_at(&s, 510), 0.009, 1e-15);
    s = (ag_schedule){.kind = AG_COSINE, .lr = 1, .total = 10, .last = 0.1};
    expect_number(ag_schedule_at(&s, 0), 1, 1e-15);
    expect_number(ag_schedule_at(&s, 5), 0.55, 1e-15);
    expect_number(ag_schedule_at(&s, 10), 0.1, 1e-15);
    s.kind = AG_LINEAR;
    expect_number(ag_schedule_at(&s, 5), 0.55, 1e-15);
    expect_number(ag_schedule_at(&s, 99), 0.1, 1e-15);
    s.warmup = s.total; /* after the warm-up comes the last value */
    expect_number(ag_schedule_at(&s, 9), 0.9, 1e-15);
    expect_number(ag_schedule_at(&s, 10), 0.1, 1e-15);
}

static void schedules_are_checked(void **state)
{
    const struct {
        ag_schedule s;
        const char *sentence;
    } table[] = {
        {{AG_CONSTANT, 0.1, 0, 0, 0, 0, 0}, NULL},
        {{AG_COSINE, 0.1, 5, 5, 0, 0, 0}, NULL},
        {{AG_EXPONENTIAL, 0.1, 0, 0, 0, 1, 1}, NULL},
        {{(ag_schedule_kind)9, 0.1, 0, 0, 0, 0, 0}, "kind 9"},
        {{AG_CONSTANT, -0.1, 0, 0, 0, 0, 0}, "learning rate is -0.1"},
        {{AG_CONSTANT, 0.1, -1, 0, 0, 0, 0}, "warm-up takes -1"},
        {{AG_COSINE, 0.1, 6, 5, 0, 0, 0}, "5 steps in total"},
        {{AG_LINEAR, 0.1, 5, 5, 0, 0, 0}, NULL},
        {{AG_COSINE, 0.1, 0, 0, 0, 0, 0}, "0 steps in total leave no step to decay over"},
        {{AG_LINEAR, 0.1, 0, 0, 0.5, 0, 0}, "0 steps in total leave no step to decay over"},
        {{AG_LINEAR, 0.1, 0, -7, 0, 0, 0}, "-7 steps in total"},
        {{AG_CONSTANT, NAN, 0, 0, 0, 0, 0}, "learning rate is nan"},
        {{AG_CONSTANT, INFINITY, 0, 0, 0, 0, 0}, "learning rate is inf"},
        {{AG_COSINE, 0.1, 0, 5, NAN, 0, 0}, "last share of the rate is nan"},
        {{AG_COSINE, 0.1, 0, 5, -0.5, 0, 0}, "last share of the rate is -0.5"},
        {{AG_EXPONENTIAL, 0.1, 0, 0, 0, NAN, 1}, "decay rate is nan"},
        {{AG_EXPONENTIAL, 0.1, 0, 0, 0, 1.5, 1}, "decay rate is 1.5"},
        {{AG_EXPONENTIAL, 0.1, -1, 0, 0, 1, 1}, "warm-up takes -1"},
        {{AG_LINEAR, 0.1, 0, 5, 1.5, 0, 0}, "last share of the rate is 1.5"},
        {{AG_EXPONENTIAL, 0.1, 0, 0, 0, 0, 1}, "decay rate is 0"},
        {{AG_EXPONENTIAL, 0.1, 0, 0, 0, 1, 0}, "every 0 steps"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ag_status status = ag_schedule_check(&table[i].s, new_failure());
        assert_int_equal(status, table[i].sentence ? AG_EUSE : AG_OK);
        if (table[i].sentence) expect_sentence(last_failure(), AG_EUSE, table[i].sentence);
    }
}

int main(void) { return RUN_TESTS(schedules_follow_their_formulas, schedules_are_checked); }
