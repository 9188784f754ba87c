/* SPDX-License-Identifier: MIT */
/* Tables in text, and one array of an npz file in a call. */
#include "support/test.h"
#include "core/internal.h"
#include "core/io/io.h"
#include "core/memory.h"
#include "core/shape.h"
#include "support/files.h"

#include <locale.h>

static ag_csv *table(const char *text, ag_failure *why)
{
    const char *path = files_path("table.csv");
    files_put(path, text, strlen(text));
    return ag_csv_load(path, why);
}

static void test_read(void **state)
{
    static const char *const texts[] = {
        "a,b c,\"d,\"\"e\"\n1,2.5,-3e2\n4,.5,\"6\"\n", /* quotes */
        "\xef\xbb\xbf"
        "a, b c ,\"d,\"\"e\"\r\n\r\n 1 ,2.5\t,-3e2\r\n4,.5,6", /* mark, CRLF, no end */
    };
    static const ag_real want[] = {1, (ag_real)2.5, -300, 4, (ag_real)0.5, 6};
    for (int i = 0; i < 2; i++) {
        ag_csv *csv = expect_made(table(texts[i], new_failure()));
        assert_int_equal(csv->rows, 2);
        assert_int_equal(csv->columns, 3);
        assert_memory_equal(csv->value, want, sizeof want);
        assert_int_equal(ag_csv_column(csv, "b c"), 1);
        assert_int_equal(ag_csv_column(csv, "d,\"e"), 2);
        assert_int_equal(ag_csv_column(csv, "x"), -1);
        ag_csv_free(csv);
    }
}

/* A process that writes 2,5 has no part in what a file says. */
static void test_locale(void **state)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "de_DE")) skip();
    ag_csv *csv = expect_made(table("a\n2.5\n", new_failure()));
    setlocale(LC_NUMERIC, "C");
    assert_true(csv->value[0] == (ag_real)2.5);
    ag_csv_free(csv);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"a,b\n1,2\n1,dot\n", "line 3, column \"b\": \"dot\" is not a number"},
        {"a,b\n1,\n", "line 2, column \"b\": \"\" is not a number"},
        {"a,b\n\n1,2,3\n", "line 3 has 3 fields, but the first line names 2 columns"},
        {"a,b\n1\n", "line 2 has 1 fields"},
        {"a,\"b\n1,2\n", "line 1: a quote is not closed"},
        {"\"a\nb\",c,d,e,f,g,h,i\n1,2,3,4,5,6,7,8\n", "a name goes over the end"},
        {"a,b\n1,\"2\n", "line 2: a quote is not closed"},
        {"<!DOCTYPE html><html>\n", "web page"},
        {"", "empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (table(cases[i].text, new_failure())) fail_msg("%s", cases[i].text);
        expect_sentence(last_failure(), AG_EDATA, cases[i].says);
    }
    expect_null(ag_csv_load("/nowhere/at/all.csv", new_failure()), AG_EFILE, "cannot open");
}

static void test_no_memory(void **state)
{
    for (long nth = 1; nth < 20; nth++) {
        ag__fail_allocation(nth, 0);
        ag_csv *csv = table("a,b\n1,2\n", new_failure());
        ag__fail_allocation(0, 0);
        ag_csv_free(csv);
        if (csv) return;
        assert_int_equal(last_failure()->status, AG_EMEMORY);
    }
    fail_msg("allocations do not end");
}

static void test_npz(void **state)
{
    static const int64_t size[] = {2, 3};
    static const int32_t values[] = {1, 2, 3, 4, 5, 6};
    ag_shape shape = {0};
    const char *path = files_path("x.npz");
    ag_npz_writer *writer = ag_npz_create(path, new_failure());
    expect_ok(ag_npz_add(writer, "x", AG_I32, 2, size, values, new_failure()));
    expect_ok(ag_npz_finish(writer, new_failure()));
    float *x = expect_made(ag_npz_load(path, "x", AG_F32, &shape, new_failure()));
    assert_true(ag_shape_equal(shape, AG_SHAPE(2, 3)));
    for (int i = 0; i < 6; i++) assert_int_equal((int)x[i], values[i]);
    ag_free(x);
    const ag_shape right[] = {AG_SHAPE(2, 3), AG_SHAPE(0, 3)},
                   wrong[] = {AG_SHAPE(3, 3), AG_SHAPE(6)};
    for (int i = 0; i < 2; i++) {
        shape = right[i];
        ag_free(x = ag_npz_load(path, "x", AG_F32, &shape, new_failure()));
        assert_non_null(x);
        shape = wrong[i];
        expect_null(ag_npz_load(path, "x", AG_F32, &shape, new_failure()), AG_EDATA,
                    i ? "\"x\" is [2,3], but must be [6]" : "\"x\" is [2,3], but must be [3,3]");
    }
    shape = (ag_shape){0};
    expect_null(ag_npz_load(path, "y", AG_F32, &shape, new_failure()), AG_EDATA,
                "there is no array \"y\"");
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, test_read, test_locale, test_refused,
                          test_no_memory, test_npz);
}
