/* SPDX-License-Identifier: MIT */
/* The pages under docs/ and the README: links lead somewhere, examples are quoted as they are. */
#include "support/test.h"

static void test_pages(void **state)
{
    assert_int_equal(system("sh '" AG_SOURCE_DIR "/tests/docs/pages.sh'"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
