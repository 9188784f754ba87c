/* SPDX-License-Identifier: MIT */
/* The relative error of tests/golden/compare_predictions.py. */
#include "support/test.h"

static void test_rule(void **state)
{
    if (system("python3 -c '' > /dev/null 2>&1") != 0) skip();
    assert_int_equal(
        system("python3 -B '" AG_SOURCE_DIR "/tests/golden/compare_predictions.py' --check"), 0);
}

int main(void) { return RUN_TESTS(test_rule); }
