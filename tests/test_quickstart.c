/* SPDX-License-Identifier: MIT */
/* The first program that a reader runs: it learns, and twice the same. */
#define _GNU_SOURCE /* popen */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static void run(char text[ROOM])
{
    FILE *f = popen("'" AG_BIN_DIR "/quickstart' 2>&1", "r");
    assert_non_null(f);
    const size_t n = fread(text, 1, ROOM - 1, f);
    text[n] = 0;
    if (pclose(f) != 0) fail_msg("quickstart failed: %s", text);
}

/* The number behind "loss" in the last line. */
static double last_loss(const char *text)
{
    const char *at = NULL;
    for (const char *p = text; (p = strstr(p, "loss ")); p += 5) at = p + 5;
    if (!at) fail_msg("no loss in \"%s\"", text);
    return strtod(at, NULL);
}

static void test_quickstart(void **state)
{
    char once[ROOM], twice[ROOM];
    (void)state;
    run(once);
    run(twice);
    assert_string_equal(once, twice);
    assert_int_equal(strncmp(once, "step   0  loss ", 15), 0);
    const double first = strtod(once + 15, NULL), last = last_loss(once);
    assert_true(first > 0.1);
    assert_true(last > 0 && last < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quickstart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
