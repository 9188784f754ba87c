/* SPDX-License-Identifier: MIT */
/* What a signal finds: a handler with a stack of its own, for generated kernels of oneDNN keep
   values below the pointer of theirs. */
#define _GNU_SOURCE
#include "examples/harness/harness.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void handlers_have_a_stack(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM};
    stack_t stack;
    (void)state;
    harness_catch_signals();
    assert_int_equal(sigaltstack(NULL, &stack), 0);
    assert_false(stack.ss_flags & SS_DISABLE);
    assert_true(stack.ss_size >= 32 << 10); /* registers of AVX-512 and AMX take 11 KB */
    for (int i = 0; i < 2; i++) {
        struct sigaction action;
        assert_int_equal(sigaction(signals[i], NULL, &action), 0);
        assert_true(action.sa_flags & SA_ONSTACK);
        assert_true(action.sa_flags & SA_RESTART);
    }
    assert_false(harness_interrupted());
    raise(SIGINT);
    assert_true(harness_interrupted());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(handlers_have_a_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
