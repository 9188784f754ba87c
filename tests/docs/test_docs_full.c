/* SPDX-License-Identifier: MIT */
/* The steps of the tutorials are carried out in a copy of the sources, which is built and tested.
   Once is enough: builds with sanitizers leave it out. */
#include "support/test.h"
#include "support/sanitized.h"

#include <sys/wait.h>

static void test_tutorials(void **state)
{
    if (SANITIZED) skip();
    const int outcome =
        system("sh '" AG_SOURCE_DIR "/tests/docs/tutorials.sh' '" AG_BIN_DIR "/..' cc");
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 77) skip(); /* no patch */
    assert_int_equal(outcome, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tutorials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
