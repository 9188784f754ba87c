/* SPDX-License-Identifier: MIT */
/* The header of npy arrays, and arrays in Fortran order. */
#define _GNU_SOURCE
#include "core/internal.h"
#include "core/io/io.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "support/npz_craft.h"

static void dictionaries_are_parsed_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *dict, *part; /* part NULL: read as four bytes */
    } cases[] = {
        {plain, NULL},
        {"{\"shape\":(4,),\"fortran_order\":False,\"descr\":\"|u1\"}", NULL},
        {" { 'descr' : '|b1' , 'fortran_order' : True , 'shape' : ( 4 , ) } \n", NULL},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': ()}", NULL},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}", NULL},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2, 1, 2,)}", NULL},
        {"{'descr': '>i4', 'fortran_order': False, 'shape': ()}", "big-endian"},
        {"{'descr': '=i4', 'fortran_order': False, 'shape': ()}", "the type is none of"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': ()}", "Python objects"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", "the type is none of"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': ()}", "records"},
        {"{'descr': 5, 'fortran_order': False, 'shape': ()}", "expected a quoted text"},
        {"{'descr': '|u1, 'fortran_order': False, 'shape': ()}", "the type is none of"},
        {"{'descr': '|u1', 'fortran_order': 0, 'shape': (4,)}", "expected True or False"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4)}", "expected ','"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': 4}", "expected a shape"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (-4,)}", "expected the size"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4,,)}", "expected the size"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (,)}", "expected the size"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2 2)}", "expected ','"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,4)}", "more than 4 axes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775808,)}", "above 2^63"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}",
         "at most 2^48"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296,4294967296,0)}",
         "at most 2^48"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (5,)}", "and 5 values of uint8 make"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (281474976710656,)}", "make"},
        {"{'descr': '|u1', 'fortran_order': False}", "is missing"},
        {"{'descr': '|u1', 'descr': '|u1', 'shape': (4,)}", "twice"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4,), 'more': 1}", "a key other than"},
        {"{'descr': '|u1' 'fortran_order': False, 'shape': (4,)}", "expected ',' or '}'"},
        {"{'descr' '|u1', 'fortran_order': False, 'shape': (4,)}", "expected ':'"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4,)} x", "follows the '}'"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4,)", "expected"},
        {"'descr': '|u1', 'fortran_order': False, 'shape': (4,)", "expected '{'"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}\1", "no printable character"},
        {"", "has an npy header of 0 bytes"},
    };
    for (int version = 1; version <= 3; version++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            unsigned char npy[300], back[4];
            ag_failure why = {0};
            entry e = {.name = "x.npy", .bytes = npy};
            e.n = make_npy(npy, version, cases[i].dict, "abcd", 4);
            make_zip(&e, 1);
            if (cases[i].part) {
                expect_refused(AG_EDATA, cases[i].part);
                continue;
            }
            ag_npz *npz = open_made(&why);
            if (!npz) fail_msg("%s: %s", cases[i].dict, why.sentence);
            assert_int_equal(ag_npz_read(npz, "x", ag_npz_info(npz, 0)->dtype, back, &why), AG_OK);
            assert_memory_equal(back, "abcd", 4);
            ag_npz_close(npz);
        }
    }
}

static void preambles_are_checked(void **state)
{
    (void)state;
    static unsigned char npy[11000];
    char dict[10002];
    entry e = {.name = "x.npy", .bytes = npy};
    memset(dict, ' ', sizeof dict);
    memcpy(dict, plain, strlen(plain));
    dict[10001] = 0;
    e.n = make_npy(npy, 2, dict, "abcd", 4);
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "an npy header of 10001 bytes, but 1 to 10000");
    dict[10000] = 0;
    e.n = make_npy(npy, 2, dict, "abcd", 4);
    make_zip(&e, 1);
    ag_npz *npz = open_made(NULL);
    assert_non_null(npz);
    ag_npz_close(npz);
    npy[11] = 0xFF;
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "an npy header of 4278");
    e.n = make_npy(npy, 4, plain, "abcd", 4);
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "npy version 4");
    e.n = make_npy(npy, 1, plain, "abcd", 4);
    npy[0] = 'x';
    make_zip(&e, 1);
    expect_refused(AG_EDATA, "is no npy array");
    for (uint32_t n = 0; n < 30; n += 3) {
        make_npy(npy, 1, plain, "abcd", 4);
        e.n = n;
        make_zip(&e, 1);
        expect_refused(AG_EDATA, n < 10 ? "is no npy array" : "ends within its npy header");
    }
}

/* TpuGraphs stores edge_index this way. */
static void fortran_order_becomes_c_order(void **state)
{
    (void)state;
    const char *dict = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 4)}";
    static unsigned char npy[300];
    int32_t stored[24], back[24];
    double wide[24];
    for (int i = 0; i < 24; i++) stored[i] = i % 2 * 100 + i / 2 % 3 * 10 + i / 6;
    entry e = {.name = "x.npy", .bytes = npy, .n = make_npy(npy, 1, dict, stored, sizeof stored)};
    make_zip(&e, 1);
    ag_failure why = {0};
    ag_npz *npz = open_made(&why);
    assert_non_null(npz);
    assert_true(ag_npz_info(npz, 0)->fortran);
    assert_int_equal(ag_npz_read(npz, "x", AG_I32, back, &why), AG_OK);
    assert_int_equal(ag_npz_read(npz, "x", AG_F64, wide, &why), AG_OK);
    for (int i = 0; i < 24; i++) {
        assert_int_equal(back[i], i / 12 * 100 + i / 4 % 3 * 10 + i % 4);
        assert_true(wide[i] == back[i]);
    }
    int8_t small[24];
    assert_int_equal(ag_npz_read(npz, "x", AG_I8, small, &why), AG_OK);
    uint8_t limited[24];
    stored[3] = -7; /* the value at [1,1,0] */
    ag_npz_close(npz);
    e.n = make_npy(npy, 1, dict, stored, sizeof stored);
    make_zip(&e, 1);
    npz = open_made(&why);
    assert_int_equal(ag_npz_read(npz, "x", AG_U8, limited, &why), AG_EDATA);
    assert_non_null(strstr(why.sentence, "x[1,1,0] is -7"));
    why = (ag_failure){0};
    assert_null(ag_rows_open(npz, "x", &why));
    assert_non_null(strstr(why.sentence, "Fortran order"));
    ag_npz_close(npz);

    ag_array_info info;
    void *data;
    files_put(files_path("f.npy"), npy, e.n);
    assert_int_equal(ag_npy_load(files_path("f.npy"), LIMIT, &info, &data, NULL), AG_OK);
    assert_int_equal(((int32_t *)data)[16], -7);
    ag_npy_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dictionaries_are_parsed_or_refused),
        cmocka_unit_test(preambles_are_checked),
        cmocka_unit_test(fortran_order_becomes_c_order),
    };
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
