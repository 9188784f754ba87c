/* SPDX-License-Identifier: MIT */
/* npz files made byte by byte, as an attacker might write them. */
#define _GNU_SOURCE
#include "core/internal.h"
#include "core/io/io.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <time.h>

#include "support/npz_craft.h"

static void a_plain_member_is_read(void **state)
{
    (void)state;
    ag_failure why = {0};
    uint8_t back[4];
    entry e = good_entry();
    make_zip(&e, 1);
    ag_npz *npz = open_made(&why);
    assert_non_null(npz);
    assert_int_equal(ag_npz_read(npz, "x", AG_U8, back, &why), AG_OK);
    assert_memory_equal(back, "abcd", 4);
    ag_npz_close(npz);
}

static void claims_are_checked_before_anything_is_read(void **state)
{
    (void)state;
    entry e = good_entry();
    e.claimed_size = 1032 * e.n + 1;
    e.method = 8;
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "but at most 1032 times as many fit");
    e.claimed_size = LIMIT + 1;
    make_zip(&e, 1);
    expect_refused(AG_EMEMORY, "but the limit is 65536");
    e = good_entry();
    e.n--;
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "and 4 values of uint8 make");
    e = good_entry();
    e.method = 12;
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "packed by method 12");
    e = good_entry();
    e.flags = 1;
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "member x");
}

static void a_wrong_crc_is_found_by_reading(void **state)
{
    (void)state;
    ag_failure why = {0};
    uint8_t back[4];
    entry e = good_entry();
    e.wrong_crc = 1;
    make_zip(&e, 1);
    ag_npz *npz = open_made(&why);
    assert_non_null(npz);
    assert_int_equal(ag_npz_read(npz, "x", AG_U8, back, &why), AG_EDATA);
    assert_non_null(strstr(why.sentence, "CRC"));
    ag_rows *rows = ag_rows_open(npz, "x", NULL);
    assert_int_equal(ag_rows_next(rows, 3, AG_U8, back, NULL), AG_OK);
    assert_int_equal(ag_rows_next(rows, 1, AG_U8, back, NULL), AG_EDATA);
    ag_rows_close(rows);
    ag_npz_close(npz);
}

static void a_local_header_must_agree_with_the_directory(void **state)
{
    (void)state;
    entry e = good_entry();
    for (int at = 8; at < 30 + 5; at++) { /* method to name; the extra field must not grow */
        make_zip(&e, 1);
        made[at] ^= 2;
        ag_failure why = {0};
        ag_npz *npz = open_made(&why);
        if (npz) fail_msg("byte %d of the local header is not compared", at);
        assert_true(strlen(why.sentence) > 20);
    }
}

static void names_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "x",
        ".npy",
        "x.npz",
        "x\n.npy",
        "\xC3\xA9.npy",
        "0123456789012345678901234567890123456789012345678901234567890123.npy"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        entry e = good_entry();
        e.name = bad[i];
        make_zip(&e, 1);
        expect_refused(AG_EDATA, "the name of member number 0");
    }
    entry two[2] = {good_entry(), good_entry()};
    make_zip(two, 2);
    expect_refused(AG_EDATA, "x");
    static char names[65][24];
    entry many[65];
    for (int i = 0; i < 65; i++) {
        many[i] = good_entry();
        snprintf(names[i], sizeof names[i], "%d.npy", i);
        many[i].name = names[i];
    }
    make_zip(many, 65);
    expect_refused(AG_EDATA, "claims 65 entries");
    ag_failure why = {0};
    make_zip(many, 64);
    ag_npz *npz = open_made(&why);
    assert_non_null(npz);
    assert_int_equal(ag_npz_count(npz), 64);
    ag_npz_close(npz);
}

/* A zip64 end record that claims 2^40 entries, where libzip would look for them. */
static void ends_that_claim_too_much_are_refused(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        entry e = good_entry();
        make_zip(&e, 1);
        made_n -= 22;
        size_t at = made_n;
        put_bytes("PK\6\6", 4);
        put(44, 8);
        put(0x2D002D, 4);
        put(0, 8);
        put(way ? 1 : UINT64_C(1) << 40, 8);
        put(way ? 1 : UINT64_C(1) << 40, 8);
        put(way == 1 ? UINT64_C(1) << 50 : 51, 8);
        put(at - 51, 8);
        put_bytes("PK\6\7\0\0\0", 8);
        put(way == 2 ? UINT64_MAX - 20 : at, 8);
        put(1, 4);
        put_end(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF);
        expect_refused(AG_EDATA,
                       way == 0   ? "claims 1099511627776 entries"
                       : way == 1 ? "in 1125899906842624 bytes"
                                  : "zip64 end record is said to lie at byte 18446744073709551595");
    }
    made_n = 0;
    put_end(60000, 60000 * 46, 0);
    expect_refused(AG_EDATA, "claims 60000 entries");
    made_n = 0;
    put_bytes("PK\6\7", 4); /* the locator of an earlier end would lead libzip anywhere */
    put(0, 16);
    put_end(1, 1, 12345);
    put_end(0, 0, made_n);
    expect_refused(AG_EDATA, "several zip end records");
    made_n = 0;
    for (int i = 0; i < 3000; i++) put_end(0, 0, made_n); /* each one is consistent */
    clock_t start = clock();
    expect_refused(AG_EDATA, "several zip end records");
    assert_true(clock() - start < CLOCKS_PER_SEC / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_member_is_read),
        cmocka_unit_test(claims_are_checked_before_anything_is_read),
        cmocka_unit_test(a_wrong_crc_is_found_by_reading),
        cmocka_unit_test(a_local_header_must_agree_with_the_directory),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(ends_that_claim_too_much_are_refused),
    };
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
