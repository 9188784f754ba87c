/* SPDX-License-Identifier: MIT */
/* The header of the arrays of an npz file, and arrays in Fortran order. */
#include "core/internal.h"
#include "core/io/io.h"
#include "support/test.h"

#include "support/npz_craft.h"

static void dictionaries_are_parsed_or_refused(void **state)
{
    static const struct {
        const char *dict, *part; /* part NULL: read as four bytes */
    } cases[] = {
        {plain, NULL},
        {"{\"shape\":(4,),\"fortran_order\":False,\"descr\":\"|u1\"}", NULL},
        {" { 'descr' : '|b1' , 'fortran_order' : True , 'shape' : ( 4 , ) } \n", NULL},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': ()}", NULL},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}", NULL},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2, 1, 2,)}", NULL},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 2L)}", NULL}, /* Python 2 */
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4L,), }", NULL},
        {"{'descr': '=i4', 'fortran_order': False, 'shape': ()}", NULL},
        {"{u'descr': u'<i4', u'fortran_order': False, u'shape': ()}", NULL}, /* Python 2 */
        {"{'descr': 'float32', 'fortran_order': False, 'shape': ()}", NULL},
        {"{'descr': 'bool', 'fortran_order': False, 'shape': (4,)}", NULL},
        {"{'descr': 'uint16', 'fortran_order': False, 'shape': (4,)}", "values of uint16 make"},
        {"{'descr': '<float32', 'fortran_order': False, 'shape': ()}", "the type is not a bool"},
        {"{'descr': ux'<i4', 'fortran_order': False, 'shape': ()}", "expected a quoted text"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (L,)}", "expected the size"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4LL,)}", "expected ','"},
        {"{'descr': '<U1', 'fortran_order': False, 'shape': ()}", "the type is not a bool"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': ()}", "the type is not a bool"},
        {"{'descr': '<f1', 'fortran_order': False, 'shape': (4,)}", "the type is not a bool"},
        {"{'descr': '<>i4', 'fortran_order': False, 'shape': ()}", "the type is not a bool"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': ()}", "Python objects"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", "1 values of float16 make"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (4,)}", "4 values of uint16 make"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': ()}", "records"},
        {"{'descr': 5, 'fortran_order': False, 'shape': ()}", "expected a quoted text"},
        {"{'descr': '|u1, 'fortran_order': False, 'shape': ()}", "the type is not a bool"},
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
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}\1", "not a printable character"},
        {"", "has an npy header of 0 bytes"},
    };
    for (int version = 1; version <= 3; version++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            unsigned char npy[300], back[4];
            make_npz(npy, make_npy(npy, version, cases[i].dict, "abcd", 4));
            if (cases[i].part) {
                expect_refused(AG_EDATA, cases[i].part);
                continue;
            }
            ag_npz *npz = open_made(new_failure());
            if (!npz) fail_msg("%s: %s", cases[i].dict, last_failure()->sentence);
            expect_ok(ag_npz_read(npz, "x", ag_npz_info(npz, 0)->dtype, back, new_failure()));
            assert_memory_equal(back, "abcd", 4);
            ag_npz_close(npz);
        }
    }
}

static void preambles_are_checked(void **state)
{
    static unsigned char npy[11000];
    char dict[10002];
    memset(dict, ' ', sizeof dict);
    memcpy(dict, plain, strlen(plain));
    dict[10001] = 0;
    make_npz(npy, make_npy(npy, 2, dict, "abcd", 4));
    expect_refused(AG_EDATA, "an npy header of 10001 bytes, but 1 to 10000");
    dict[10000] = 0;
    const uint32_t most = make_npy(npy, 2, dict, "abcd", 4);
    make_npz(npy, most);
    ag_npz_close(open_good());
    npy[11] = 0xFF;
    make_npz(npy, most);
    expect_refused(AG_EDATA, "an npy header of 4278");
    make_npz(npy, make_npy(npy, 4, plain, "abcd", 4));
    expect_refused(AG_EDATA, "npy version 4");
    const uint32_t all = make_npy(npy, 1, plain, "abcd", 4);
    npy[0] = 'x';
    make_npz(npy, all);
    expect_refused(AG_EDATA, "is not an npy array");
    for (uint32_t n = 0; n < 30; n += 3) {
        make_npy(npy, 1, plain, "abcd", 4);
        make_npz(npy, n);
        expect_refused(AG_EDATA, n < 10 ? "is not an npy array" : "ends within its npy header");
    }
}

/* Every type that numpy stores, in both byte orders: -3 (253 without sign), 1 and the last value.
 */
static void every_type_of_numpy_is_read(void **state)
{
    static const struct {
        const char *type;
        ag_dtype dtype;
        unsigned char least_first[3][8];
        double value[3];
    } cases[] = {
        {"i1", AG_I8, {{0xfd}, {1}, {0x7f}}, {-3, 1, 127}},
        {"u1", AG_U8, {{0xfd}, {1}, {0xff}}, {253, 1, 255}},
        {"b1", AG_U8, {{0}, {1}, {1}}, {0, 1, 1}},
        {"i2", AG_I32, {{0xfd, 0xff}, {1}, {0xff, 0x7f}}, {-3, 1, 32767}},
        {"u2", AG_I32, {{0xfd, 0xff}, {1}, {0xff, 0xff}}, {65533, 1, 65535}},
        {"i4", AG_I32, {{0xfd, 0xff, 0xff, 0xff}, {1}, {0, 0, 0, 0x80}}, {-3, 1, -2147483648.0}},
        {"u4", AG_I64, {{0xfd}, {1}, {0xff, 0xff, 0xff, 0xff}}, {253, 1, 4294967295.0}},
        {"i8",
         AG_I64,
         {{0xfd, 255, 255, 255, 255, 255, 255, 255}, {1}, {0, 0, 0, 0, 1}},
         {-3, 1, 4294967296.0}},
        {"u8", AG_I64, {{0xfd}, {1}, {0, 0, 0, 0, 1}}, {253, 1, 4294967296.0}},
        {"f2", AG_F32, {{0, 0xc2}, {0xff, 0x7b}, {1, 0}}, {-3, 65504, 0x1p-24}},
        {"f4", AG_F32, {{0, 0, 0x40, 0xc0}, {0, 0, 0x80, 0x3f}, {0, 0, 0, 0x3e}}, {-3, 1, 0.125}},
        {"f8",
         AG_F64,
         {{0, 0, 0, 0, 0, 0, 8, 0xc0}, {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, {0}},
         {-3, 1, 0}},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const size_t c = i / 2, bytes = (size_t)cases[c].type[1] - '0';
        const int big = i % 2;
        unsigned char npy[200], values[24];
        char dict[100];
        snprintf(dict, sizeof dict, "{'descr': '%c%s', 'fortran_order': False, 'shape': (3,)}",
                 big ? '>' : '<', cases[c].type);
        for (size_t k = 0; k < 3 * bytes; k++)
            values[k] = cases[c].least_first[k / bytes][big ? bytes - 1 - k % bytes : k % bytes];
        make_npz(npy, make_npy(npy, 1, dict, values, 3 * bytes));
        ag_npz *npz = open_good();
        double back[3];
        expect_ok(ag_npz_read(npz, "x", AG_F64, back, new_failure()));
        assert_int_equal(ag_npz_info(npz, 0)->dtype, cases[c].dtype);
        ag_npz_close(npz);
        for (int k = 0; k < 3; k++)
            if (back[k] != cases[c].value[k])
                fail_msg("%s: %g instead of %g", dict, back[k], cases[c].value[k]);
    }
}

static void what_does_not_fit_is_named(void **state)
{
    const uint64_t huge[2] = {5, UINT64_MAX - 1};
    unsigned char npy[200];
    make_npz(npy, make_npy(npy, 1, "{'descr': '<u8', 'fortran_order': False, 'shape': (1, 2)}",
                           huge, 16));
    ag_npz *npz = open_good();
    int64_t whole[2];
    float rounded[2];
    expect_status(ag_npz_read(npz, "x", AG_I64, whole, new_failure()), AG_EDATA,
                  "x[0,1] is 18446744073709551614, but int64 holds");
    assert_int_equal(ag_npz_read(npz, "x", AG_F32, rounded, NULL), AG_OK);
    assert_true(rounded[0] == 5 && rounded[1] == 0x1p64F);
    ag_npz_close(npz);
}

/* Value [i,j,..] is its number in C order, stored in Fortran order as a type of `bytes` bytes.
   Returns the length of the npy file. */
static uint32_t make_fortran(unsigned char *npy, int version, const char *descr, size_t bytes,
                             int rank, const int64_t *size)
{
    char dict[200];
    int64_t count = 1;
    int n = snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': True, 'shape': (", descr);
    for (int i = 0; i < rank; count *= size[i++])
        n += snprintf(dict + n, sizeof dict - (size_t)n, "%lld,", (long long)size[i]);
    snprintf(dict + n, sizeof dict - (size_t)n, ")}");
    unsigned char *values = npy + make_npy(npy, version, dict, NULL, 0);
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k, step = count, value = 0;
        for (int i = 0; i < rank; rest /= size[i++]) value += rest % size[i] * (step /= size[i]);
        for (size_t b = 0; b < bytes; b++)
            *values++ = (unsigned char)(value >> 8 * (descr[0] == '>' ? bytes - 1 - b : b));
    }
    return (uint32_t)(values - npy);
}

/* TpuGraphs stores edge_index this way. Rows come in portions; the header is of any version, so
   that values may be unaligned. */
static void fortran_order_becomes_c_order(void **state)
{
    static const int64_t sizes[][4] = {{6, 4, 1, 1}, {1, 5, 3, 2}, {7, 2, 3, 2}, {5, 1, 1, 1}};
    static const char *const descr[] = {"<i4", ">u2"};
    static unsigned char npy[800];
    for (int way = 0; way < 4 * 3 * 3 * 2; way++) {
        const int64_t *size = sizes[way % 4];
        const int rank = 2 + way / 4 % 3, type = way / 36;
        int64_t count = 1;
        for (int i = 0; i < rank; i++) count *= size[i];
        make_npz(npy, make_fortran(npy, 1 + way / 12 % 3, descr[type], type ? 2 : 4, rank, size));
        ag_npz *npz = open_good();
        assert_true(ag_npz_info(npz, 0)->fortran);
        int32_t back[84];
        double wide[84];
        assert_int_equal(ag_npz_read(npz, "x", AG_I32, back, NULL), AG_OK);
        assert_int_equal(ag_npz_read(npz, "x", AG_F64, wide, NULL), AG_OK);
        for (int i = 0; i < count; i++) assert_true(back[i] == i && wide[i] == i);
        ag_rows *rows = ag_rows_open(npz, "x", NULL);
        memset(wide, 0, sizeof wide);
        for (int64_t at = 0, n; at < size[0]; at += n) {
            n = at + 2 <= size[0] ? 2 : 1;
            assert_int_equal(ag_rows_next(rows, n, AG_F64, wide + at * (count / size[0]), NULL), 0);
        }
        for (int i = 0; i < count; i++) assert_true(wide[i] == i);
        assert_int_equal(ag_rows_next(rows, 1, AG_F64, wide, NULL), AG_EINDEX);
        ag_rows_close(rows);
        ag_npz_close(npz);
    }
}

/* The type changes between portions, an index is that of C order, and a wrong CRC is found. */
static void rows_in_fortran_order_are_checked(void **state)
{
    static unsigned char npy[800];
    const int64_t size[] = {30, 10};
    entry e = {.name = "x.npy", .bytes = npy};
    e.n = make_fortran(npy, 1, "<i2", 2, 2, size);
    make_zip(&e, 1);
    ag_npz *npz = open_made(NULL);
    ag_rows *rows = ag_rows_open(npz, "x", NULL);
    int32_t whole[100];
    float real[100];
    int8_t small[300];
    assert_int_equal(ag_rows_next(rows, 10, AG_I32, whole, NULL), AG_OK);
    assert_int_equal(ag_rows_next(rows, 10, AG_F32, real, NULL), AG_OK);
    for (int i = 0; i < 100; i++) assert_true(whole[i] == i && real[i] == (float)(100 + i));
    expect_status(ag_rows_next(rows, 10, AG_I8, small, new_failure()), AG_EDATA,
                  "x[13,0] is 130, but int8 holds"); /* the first stored */
    assert_int_equal(ag_rows_next(rows, 10, AG_F32, real, NULL), AG_EUSE);
    ag_rows_close(rows);
    ag_npz_close(npz);
    e.wrong_crc = 1;
    make_zip(&e, 1);
    npz = open_made(NULL);
    rows = ag_rows_open(npz, "x", NULL);
    assert_int_equal(ag_rows_next(rows, 1, AG_F32, real, NULL), AG_EDATA);
    ag_rows_close(rows);
    ag_npz_close(npz);
}

/* More than the reader holds of an array in Fortran order: it is read twice. */
static void many_rows_in_fortran_order_take_turns(void **state)
{
    enum { ROWS = 1030, WIDTH = 4096 };
    static double out[100 * WIDTH];
    const int64_t size[] = {ROWS, WIDTH};
    unsigned char *npy = malloc(ROWS * WIDTH + 300);
    make_npz(npy, make_fortran(npy, 1, "|u1", 1, 2, size));
    files_put(files_path("made.npz"), made, made_n);
    ag_npz *npz = ag_npz_open(files_path("made.npz"), sizeof made, NULL);
    ag_rows *rows = ag_rows_open(npz, "x", NULL);
    assert_non_null(rows);
    for (int at = 0, n; at < ROWS; at += n) {
        n = ROWS - at < 100 ? ROWS - at : 100;
        assert_int_equal(ag_rows_next(rows, n, AG_F64, out, NULL), AG_OK);
        for (int i = 0; i < n * WIDTH; i++)
            if (out[i] != (at * WIDTH + i) % 256) fail_msg("row %d: value %d", at, i);
    }
    ag_rows_close(rows);
    ag_npz_close(npz);
    free(npy);
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, dictionaries_are_parsed_or_refused,
                          preambles_are_checked, every_type_of_numpy_is_read,
                          what_does_not_fit_is_named, fortran_order_becomes_c_order,
                          rows_in_fortran_order_are_checked, many_rows_in_fortran_order_take_turns);
}
