/* SPDX-License-Identifier: MIT */
/* Contents for the tests of saves, and a look at what they left. */
#include "support/files.h"

static ag_status put_text(FILE *file, void *text)
{
    fputs(text, file);
    return AG_OK;
}

static ag_status put_much(FILE *file, void *unused)
{
    for (int i = 0; i < 100000; i++) fputc('x', file);
    return AG_OK;
}

static void expect_text(const char *path, const char *text)
{
    size_t n;
    char *got = files_get(path, &n);
    assert_non_null(got);
    assert_int_equal(n, strlen(text));
    assert_string_equal(got, text);
    free(got);
}
