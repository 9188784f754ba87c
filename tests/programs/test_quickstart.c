/* SPDX-License-Identifier: MIT */
/* The first program that a reader runs: it learns, and twice the same. */
#include "support/test.h"
#include "support/files.h"

enum { ROOM = 4096 };

/* Returns the exit code. */
static int run(char text[ROOM], const char *device)
{
    return shell_text(text, ROOM, formatted("'" AG_BIN_DIR "/quickstart' %s 2>&1", device));
}

/* The number after "loss" in the last line. */
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
    assert_int_equal(run(once, ""), 0);
    assert_int_equal(run(twice, "cpu"), 0);
    assert_string_equal(once, twice);
    assert_int_equal(strncmp(once, "step   0  loss ", 15), 0);
    const double first = strtod(once + 15, NULL), last = last_loss(once);
    assert_true(first > 0.1);
    assert_true(last > 0 && last < 0.01);
}

/* On a device it learns the same; without one it reports that it is missing. */
static void test_device(void **state)
{
    char here[ROOM], there[ROOM];
    const int code = run(there, "cuda");
    if (code) {
        assert_int_equal(code, 6);
        assert_non_null(strstr(there, "choose the CPU as the device"));
        return;
    }
    assert_int_equal(run(here, "cpu"), 0);
    assert_int_equal(strncmp(here, there, strlen("step   0  loss 0.123")), 0);
    assert_true(last_loss(there) > 0 && last_loss(there) < 0.01);
}

int main(void) { return RUN_TESTS(test_quickstart, test_device); }
