/* SPDX-License-Identifier: MIT */
/* cmocka and the headers of C that nearly every test needs, RUN_TESTS, and what a refused call
   says. A test includes it first, because other headers of support/ call cmocka. */
#ifndef AG_TESTS_TEST_H
#define AG_TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/types.h"

void ag64_set_threads(int n); /* of the library in double */

/* A text of this format, in one of eight buffers that take turns. */
__attribute__((format(printf, 1, 2))) static inline const char *formatted(const char *format, ...)
{
    static char text[8][1200];
    static int turn;
    va_list args;
    turn = (turn + 1) % 8;
    va_start(args, format);
    vsnprintf(text[turn], sizeof text[turn], format, args);
    va_end(args);
    return text[turn];
}

/* The text of a file of tmpfile(), until the next call; closes the file. */
static inline const char *text_of(FILE *file)
{
    static char text[1 << 16];
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

/* by: how far the number may be from the expected one, of which it is a share above 1. */
static inline void expect_number(double got, double expected, double by)
{
    if (!(fabs(got - expected) <= by * fmax(1, fabs(expected))))
        fail_msg("%.17g, not %.17g", got, expected);
}

/* How often something was drawn is within five standard deviations of its share. */
static inline void expect_share(int64_t count, int64_t draws, double share)
{
    const double expected = (double)draws * share, spread = sqrt(expected * (1 - share));
    if (fabs((double)count - expected) > 5 * spread)
        fail_msg("%lld of %lld, expected %g", (long long)count, (long long)draws, expected);
}

static inline int ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* Numbers in -1..1, in much less time than random ones take. */
static inline void fill_numbers(float *x, int64_t n, uint32_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / 8388608.0f - 1;
    }
}

/* `names` are those of the tests, with commas between. each: the functions are those of each test,
   not of the group. */
static inline int run_named_tests(const char *names, const CMUnitTestFunction *test, size_t n,
                                  int each, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    static char text[4000];
    static struct CMUnitTest tests[64];
    if (strlen(names) >= sizeof text || n > sizeof tests / sizeof *tests) {
        fprintf(stderr,
                "%zu tests with %zu letters of names, but run_named_tests has room for %zu "
                "with %zu\n",
                n, strlen(names), sizeof tests / sizeof *tests, sizeof text - 1);
        return 1;
    }
    char *next = strcpy(text, names);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){.name = strtok(i ? NULL : next, ", "),
                                       .test_func = test[i],
                                       .setup_func = each ? set_up : NULL,
                                       .teardown_func = each ? tear_down : NULL};
    return _cmocka_run_group_tests("tests", tests, n, each ? NULL : set_up,
                                   each ? NULL : tear_down);
}

#define RUN_TESTS(...)                         RUN_TESTS_WITH(NULL, NULL, __VA_ARGS__)
#define RUN_TESTS_WITH(set_up, tear_down, ...) RUN_NAMED(0, set_up, tear_down, __VA_ARGS__)
#define RUN_TESTS_EACH(set_up, tear_down, ...) RUN_NAMED(1, set_up, tear_down, __VA_ARGS__)
#define RUN_NAMED(each, set_up, tear_down, ...)                                                \
 run_named_tests(#__VA_ARGS__, (const CMUnitTestFunction[]){__VA_ARGS__},                      \
                 sizeof(CMUnitTestFunction[]){__VA_ARGS__} / sizeof(CMUnitTestFunction), each, \
                 set_up, tear_down)

static inline void expect_ints(const int32_t *have, const int32_t *want, int n)
{
    for (int i = 0; i < n; i++)
        if (have[i] != want[i]) fail_msg("entry %d is %d instead of %d", i, have[i], want[i]);
}

static inline void expect_sentence(const ag_failure *why, ag_status status, const char *part)
{
    if (why->status != status || !strstr(why->sentence, part))
        fail_msg("%d \"%s\" instead of %d \"%s\"", (int)why->status, why->sentence, (int)status,
                 part);
}

/* The failure that the latest call got from new_failure(). */
static inline ag_failure *last_failure(void)
{
    static ag_failure why;
    return &why;
}

/* Empties the file's failure and returns it, for the next call. For one thread. */
static inline ag_failure *new_failure(void)
{
    *last_failure() = (ag_failure){0};
    return last_failure();
}

static inline void expect_ok(ag_status have)
{
    if (have || last_failure()->status) fail_msg("%d \"%s\"", (int)have, last_failure()->sentence);
}

/* Returns what was made, which is not NULL. */
static inline void *expect_made(void *have)
{
    if (!have) fail_msg("%s", last_failure()->sentence);
    return have;
}

static inline void expect_status(ag_status have, ag_status want, const char *part)
{
    expect_sentence(last_failure(), want, part);
    assert_int_equal(have, want);
}

static inline void expect_null(const void *have, ag_status want, const char *part)
{
    assert_null(have);
    expect_sentence(last_failure(), want, part);
}

#endif
