/* SPDX-License-Identifier: MIT */
/* npz files made byte by byte, as an attacker might write them. */
#include "core/internal.h"
#include "core/io/io.h"
#include "support/test.h"
#include "support/npz_craft.h"

#include <time.h>

static void claims_are_checked_before_anything_is_read(void **state)
{
    entry e = good_entry();
    e.claimed_size = 1032 * e.n + 1;
    e.method = 8;
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "but at most 1032 times as many fit");
    e.claimed_size = LIMIT + 1;
    make_zip(&e, 1);
    expect_refused(AG_EMEMORY, "but the limit is 65536");
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
    uint8_t back[4];
    entry e = good_entry();
    e.wrong_crc = 1;
    make_zip(&e, 1);
    ag_npz *npz = open_good();
    expect_status(ag_npz_read(npz, "x", AG_U8, back, new_failure()), AG_EDATA, "CRC");
    ag_rows *rows = ag_rows_open(npz, "x", NULL);
    assert_int_equal(ag_rows_next(rows, 3, AG_U8, back, NULL), AG_OK);
    assert_int_equal(ag_rows_next(rows, 1, AG_U8, back, NULL), AG_EDATA);
    ag_rows_close(rows);
    ag_npz_close(npz);
}

static void a_local_header_must_agree_with_the_directory(void **state)
{
    entry e = good_entry();
    for (int at = 8; at < 30 + 5; at++) { /* method to name; the extra field must not grow */
        make_zip(&e, 1);
        made[at] ^= 2;
        ag_npz *npz = open_made(new_failure());
        if (npz) fail_msg("byte %d of the local header is not compared", at);
        assert_true(strlen(last_failure()->sentence) > 20);
    }
}

/* Members that archivers add, or that numpy hands out as other things than arrays of numbers. */
static void other_members_are_passed_over(void **state)
{
    static unsigned char text[200], deep[200];
    const uint32_t texts = make_npy(
        text, 1, "{'descr': '<U2', 'fortran_order': False, 'shape': ()}", "a\0\0\0b\0\0", 8);
    const uint32_t deeps = make_npy(
        deep, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 2, 1, 2)}", "abcd", 4);
    entry e[] = {
        {.name = "__MACOSX/", .bytes = ""},
        {.name = "__MACOSX/._x.npy", .bytes = "\0\5\x16\7\0\2\0\0", .n = 8},
        {.name = ".DS_Store", .bytes = "\0\0\0\1Bud1", .n = 8, .flags = 1},
        {.name = "README.txt", .bytes = "words", .n = 5, .method = 12},
        {.name = "sub/", .bytes = ""},
        {.name = "\xC3\xA9.npy", .bytes = "", .wrong_crc = 1},
        {.name = ".npy", .bytes = ""},
        {.name = "0123456789012345678901234567890123456789012345678901234567890123.npy",
         .bytes = ""},
        {.name = "text.npy", .bytes = text, .n = texts},
        {.name = "deep.npy", .bytes = deep, .n = deeps},
        good_entry(),
        {.name = "empty.npy", .bytes = ""},
    };
    enum { ENTRIES = sizeof e / sizeof *e };
    static const struct {
        const char *name, *part;
    } asked[] = {{"text", "member text: npy header, character 15: the type is not a bool, integer"},
                 {"deep", "more than 4 axes"},
                 {"__MACOSX/._x", "is not an npy array"},
                 {"empty", "is not an npy array"}};
    uint8_t back[4];
    make_zip(e, ENTRIES);
    ag_npz *npz = open_good();
    assert_int_equal(ag_npz_count(npz), 1);
    assert_int_equal(ag_npz_read(npz, "x", AG_U8, back, NULL), AG_OK);
    assert_memory_equal(back, "abcd", 4);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ag_failure why = {0}, read = {0};
        assert_null(ag_npz_find(npz, asked[i].name));
        assert_int_equal(ag_npz_check(npz, asked[i].name, &why), AG_EDATA);
        assert_non_null(strstr(why.sentence, asked[i].part));
        assert_null(ag_rows_open(npz, asked[i].name, &read));
        assert_string_equal(read.sentence, why.sentence);
    }
    assert_int_equal(ag_npz_check(npz, "x", NULL), AG_OK);
    assert_int_equal(ag_npz_check(npz, "other", NULL), AG_OK);
    ag_npz_close(npz);
    e[8].wrong_crc = 1; /* a damaged array must not pass for another thing */
    make_zip(e, ENTRIES);
    expect_refused(AG_EDATA, "member text is damaged: CRC error");
    e[8].wrong_crc = 0;
    e[8].claimed_size = 7;
    make_zip(e, ENTRIES);
    expect_refused(AG_EDATA, "damaged");
}

static void members_are_counted(void **state)
{
    entry two[2] = {good_entry(), good_entry()};
    make_zip(two, 2);
    expect_refused(AG_EDATA, "holds two members of one name; write the file again");
    static char names[257][24];
    entry many[257];
    for (int i = 0; i < 257; i++) {
        many[i] = good_entry();
        snprintf(names[i], sizeof names[i], i < 65 ? "%d.npy" : "%d.txt", i);
        many[i].name = names[i];
    }
    make_zip(many, 65);
    expect_refused(AG_EDATA, "has more than the 64 arrays that are read");
    make_zip(many, 257);
    expect_refused(AG_EDATA, "claims 257 entries");
    make_zip(many + 1, 256);
    ag_npz *npz = open_good();
    assert_int_equal(ag_npz_count(npz), 64);
    ag_npz_close(npz);
}

/* A zip64 end record that claims 2^40 entries, where libzip would look for them. */
static void ends_that_claim_too_much_are_refused(void **state)
{
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
    return RUN_TESTS_WITH(
        files_make, files_remove, claims_are_checked_before_anything_is_read,
        a_wrong_crc_is_found_by_reading, a_local_header_must_agree_with_the_directory,
        other_members_are_passed_over, members_are_counted, ends_that_claim_too_much_are_refused);
}
