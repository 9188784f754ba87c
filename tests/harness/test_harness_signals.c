/* SPDX-License-Identifier: MIT */
/* Effects of signals on a program: an interruption is noted, others are ignored. */
#include "support/test.h"
#include "examples/harness/harness.h"

#include <signal.h>

static void interruptions_are_noted(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    harness_catch_signals();
    for (int i = 0; i < 3; i++) {
        struct sigaction action;
        assert_int_equal(sigaction(signals[i], NULL, &action), 0);
        assert_true(action.sa_flags & SA_RESTART);
    }
    ag_failure why = {0}, other = {.status = AG_EDATA};
    assert_false(harness_interrupted());
    assert_true(harness_go_on(&why));
    assert_false(harness_go_on(&other));
    raise(SIGHUP);
    assert_true(harness_interrupted());
    assert_false(harness_go_on(&why));
    assert_int_equal(why.status, AG_ESTOPPED);
    assert_false(harness_go_on(&other));
    assert_int_equal(other.status, AG_EDATA); /* the first failure wins */
    raise(SIGHUP);                            /* a second one does not end the program */
}

/* As under nohup, and with a limit on the size of files. */
static void what_is_ignored_stays_so(void **state)
{
    struct sigaction action;
    signal(SIGHUP, SIG_IGN);
    signal(SIGXFSZ, SIG_DFL);
    harness_catch_signals();
    assert_int_equal(sigaction(SIGHUP, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_IGN);
    assert_int_equal(sigaction(SIGXFSZ, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_IGN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(interruptions_are_noted),
                                       cmocka_unit_test(what_is_ignored_stays_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
