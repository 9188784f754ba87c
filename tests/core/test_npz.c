/* SPDX-License-Identifier: MIT */
/* npy and npz files: round trips, conversion, rows, and refusals of the writer. */
#include "core/internal.h"
#include "core/io/io.h"
#include "core/random.h"
#include "support/test.h"
#include "support/files.h"

#include <float.h>

enum { LIMIT = 1 << 20 };

static ag_npz *write_one(const char *name, ag_dtype dtype, int rank, const int64_t *size,
                         const void *data)
{
    const char *path = files_path("one.npz");
    ag_npz_writer *writer = ag_npz_create(path, new_failure());
    expect_ok(ag_npz_add(writer, name, dtype, rank, size, data, new_failure()));
    expect_ok(ag_npz_finish(writer, new_failure()));
    return expect_made(ag_npz_open(path, LIMIT, new_failure()));
}

/* Every dtype at every rank, with an empty axis too; npz and npy. */
static void arrays_come_back_as_they_were(void **state)
{
    static const int64_t sizes[][4] = {{3, 4, 5, 6}, {1, 1, 1, 1}, {2, 0, 3, 7}, {0, 9, 2, 1}};
    unsigned char data[360 * 8], back[360 * 8];
    ag_random r = {11, 0, 0};
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)ag_random_below(&r, 120);
    for (int dtype = AG_F32; dtype <= AG_I64; dtype++) {
        for (int rank = 0; rank <= 4; rank++) {
            for (int s = 0; s < 4; s++) {
                ag_npz *npz = write_one("a b", (ag_dtype)dtype, rank, sizes[s], data);
                const ag_array_info *info = ag_npz_find(npz, "a b");
                int64_t count = 1;
                assert_int_equal(ag_npz_count(npz), 1);
                assert_ptr_equal(info, ag_npz_info(npz, 0));
                assert_int_equal(info->dtype, dtype);
                assert_int_equal(info->rank, rank);
                for (int i = 0; i < 4; i++) {
                    assert_int_equal(info->size[i], i < rank ? sizes[s][i] : 1);
                    count *= info->size[i];
                }
                assert_int_equal(info->count, count);
                size_t bytes = (size_t)count * ag_dtype_bytes(info->dtype);
                memset(back, 0xEE, sizeof back);
                expect_ok(ag_npz_read(npz, "a b", info->dtype, back, new_failure()));
                assert_memory_equal(back, data, bytes);
                if (bytes < sizeof back) assert_int_equal(back[bytes], 0xEE);
                ag_npz_close(npz);
            }
        }
    }
}

static void dtypes_have_names_and_sizes(void **state)
{
    static const char *const names[] = {"float32", "float64", "uint8", "int8", "int32", "int64"};
    static const size_t sizes[] = {4, 8, 1, 1, 4, 8};
    for (int i = AG_F32; i <= AG_I64; i++) {
        assert_string_equal(ag_dtype_name((ag_dtype)i), names[i]);
        assert_int_equal(ag_dtype_bytes((ag_dtype)i), sizes[i]);
    }
    assert_int_equal(ag_dtype_bytes((ag_dtype)6), 0);
    assert_int_equal(ag_dtype_bytes((ag_dtype)-1), 0);
    assert_string_equal(ag_dtype_name((ag_dtype)77), "no dtype");
}

static void integers_convert_by_value(void **state)
{
    const int64_t size[] = {2, 3};
    const int64_t in[] = {0, -1, 127, -128, 5, 100};
    int8_t i8[6];
    uint8_t u8[6];
    ag_npz *npz = write_one("x", AG_I64, 2, size, in);
    expect_ok(ag_npz_read(npz, "x", AG_I8, i8, new_failure()));
    for (int i = 0; i < 6; i++) assert_int_equal(i8[i], in[i]);
    expect_status(ag_npz_read(npz, "x", AG_U8, u8, new_failure()), AG_EDATA,
                  "one.npz: x[0,1] is -1, but uint8 holds 0 to 255");
    ag_npz_close(npz);

    const int64_t three[] = {20003};
    static int64_t many[20003]; /* more than one buffer of conversion */
    static int32_t out[20003];
    for (int i = 0; i < 20003; i++) many[i] = 7 * i - 70000;
    npz = write_one("x", AG_I64, 1, three, many);
    expect_ok(ag_npz_read(npz, "x", AG_I32, out, new_failure()));
    for (int i = 0; i < 20003; i++) assert_int_equal(out[i], 7 * i - 70000);
    ag_npz_close(npz);
    many[20001] = INT64_C(3000000000);
    npz = write_one("x", AG_I64, 1, three, many);
    expect_status(ag_npz_read(npz, "x", AG_I32, out, new_failure()), AG_EDATA,
                  "x[20001] is 3000000000, but int32 holds -2147483648 to 2147483647");
    ag_npz_close(npz);
}

/* The first and the last value of each type, and the ones next to them. */
static void ranges_of_integers_are_exact(void **state)
{
    static const struct {
        ag_dtype as;
        int64_t least, most;
    } types[] = {{AG_U8, 0, 255}, {AG_I8, -128, 127}, {AG_I32, INT32_MIN, INT32_MAX}};
    const int64_t size[] = {2};
    int32_t back[2];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const int64_t in[3][2] = {{types[i].least, types[i].most},
                                  {types[i].least, types[i].most + 1},
                                  {types[i].most, types[i].least - 1}};
        for (int k = 0; k < 3; k++) {
            ag_npz *npz = write_one("x", AG_I64, 1, size, in[k]);
            assert_int_equal(ag_npz_read(npz, "x", types[i].as, back, new_failure()),
                             k ? AG_EDATA : AG_OK);
            const char *part = formatted("x[1] is %lld, but", (long long)in[k][1]);
            if (k) expect_sentence(last_failure(), AG_EDATA, part);
            ag_npz_close(npz);
        }
    }
}

static void floats_convert_to_floats_alone(void **state)
{
    const int64_t size[] = {4};
    const float f32[] = {1.5f, -0.0f, INFINITY, NAN};
    double f64[4] = {1.5, 1e-300, (double)FLT_MAX, 1e39};
    float back[4];
    int64_t whole[4];
    ag_npz *npz = write_one("x", AG_F32, 1, size, f32);
    double wide[4];
    expect_ok(ag_npz_read(npz, "x", AG_F64, wide, new_failure()));
    assert_true(wide[0] == 1.5 && signbit(wide[1]) && isinf(wide[2]) && isnan(wide[3]));
    expect_status(
        ag_npz_read(npz, "x", AG_I64, whole, new_failure()), AG_EDATA,
        "member x holds float32, but an integer type is wanted, even of whole numbers; save it "
        "as int64 (run times: round to nanoseconds)");
    expect_status(ag_npz_read(npz, "x", (ag_dtype)9, whole, new_failure()), AG_EUSE, "dtype 9");
    expect_status(ag_npz_read(npz, "y", AG_F32, back, new_failure()), AG_EDATA,
                  "member y is missing");
    ag_npz_close(npz);
    for (int negative = 0; negative < 2; negative++, f64[3] = -f64[3]) {
        npz = write_one("x", AG_F64, 1, size, f64);
        expect_status(ag_npz_read(npz, "x", AG_F32, back, new_failure()), AG_EDATA,
                      negative ? "x[3] is -1e+39, but float32 holds"
                               : "x[3] is 1e+39, but float32 holds");
        ag_npz_close(npz);
    }
    f64[3] = HUGE_VAL;
    npz = write_one("x", AG_F64, 1, size, f64);
    expect_ok(ag_npz_read(npz, "x", AG_F32, back, new_failure()));
    assert_true(back[0] == 1.5f && back[1] == 0 && back[2] == FLT_MAX && isinf(back[3]));
    ag_npz_close(npz);
}

static void rows_are_streamed_in_any_portions(void **state)
{
    enum { ROWS = 1000, WIDTH = 6 };
    static int32_t data[ROWS * WIDTH], back[ROWS * WIDTH];
    static double wide[ROWS * WIDTH];
    const int64_t size[] = {ROWS, 2, 3};
    ag_random r = {5, 0, 0};
    for (int i = 0; i < ROWS * WIDTH; i++) data[i] = (int32_t)ag_random_bits(&r);
    ag_npz *npz = write_one("x", AG_I32, 3, size, data);
    ag_rows *one = ag_rows_open(npz, "x", new_failure()),
            *two = ag_rows_open(npz, "x", new_failure());
    for (int64_t at = 0, n; at < ROWS; at += n) {
        n = ag_random_below(&r, 90);
        if (n > ROWS - at) n = ROWS - at;
        expect_ok(ag_rows_next(one, n, AG_I32, back + at * WIDTH, new_failure()));
        expect_ok(ag_rows_next(two, n, AG_F64, wide + at * WIDTH, new_failure()));
    }
    assert_memory_equal(back, data, sizeof data);
    for (int i = 0; i < ROWS * WIDTH; i++) assert_true(wide[i] == data[i]);
    expect_ok(ag_rows_next(one, 0, AG_I32, back, new_failure()));
    expect_status(ag_rows_next(one, 1, AG_I32, back, new_failure()), AG_EINDEX,
                  "1 rows are wanted, but 0 of 1000 are left");
    expect_status(ag_rows_next(one, -1, AG_I32, back, new_failure()), AG_EINDEX, "-1 rows");
    ag_rows_close(one);
    ag_rows_close(two);
    expect_null(ag_rows_open(npz, "z", new_failure()), AG_EDATA, "member z is missing");
    ag_npz_close(npz);
}

static void a_failed_row_reader_stays_failed(void **state)
{
    const int64_t size[] = {3, 1};
    const int32_t data[] = {1, 1000, 2};
    uint8_t back[3];
    ag_npz *npz = write_one("x", AG_I32, 2, size, data);
    ag_rows *rows = ag_rows_open(npz, "x", new_failure());
    expect_ok(ag_rows_next(rows, 1, AG_U8, back, new_failure()));
    expect_status(ag_rows_next(rows, 1, AG_U8, back, new_failure()), AG_EDATA, "x[1,0] is 1000");
    expect_status(ag_rows_next(rows, 1, AG_U8, back, new_failure()), AG_EUSE, "after a failure");
    ag_rows_close(rows);
    ag_npz_close(npz);
}

static void the_writer_refuses_what_it_cannot_write(void **state)
{
    const int64_t one[] = {1, 1, 1, 1, 1}, negative[] = {-1}, huge[] = {1 << 30, 1 << 30};
    const char *const bad[] = {"", "tab\t", "\xC3\xA9",
                               "0123456789012345678901234567890123456789012345678901234567890123"};
    uint8_t value = 1;
    const char *path = files_path("never.npz");
    ag_npz_writer *writer = ag_npz_create(path, new_failure());
    for (int i = 0; i < 4; i++)
        expect_status(ag_npz_add(writer, bad[i], AG_U8, 1, one, &value, new_failure()), AG_EUSE,
                      "the name of member number 0");
    expect_ok(ag_npz_add(writer, "a", AG_U8, 1, one, &value, new_failure()));
    expect_ok(ag_npz_add(writer, "ab", AG_U8, 1, one, &value, new_failure()));
    expect_status(ag_npz_add(writer, "a", AG_U8, 1, one, &value, new_failure()), AG_EUSE,
                  "member a was added before");
    expect_status(ag_npz_add(writer, "b", AG_U8, 5, one, &value, new_failure()), AG_EUSE, "rank 5");
    expect_status(ag_npz_add(writer, "b", (ag_dtype)17, 1, one, &value, new_failure()), AG_EUSE,
                  "dtype 17");
    expect_status(ag_npz_add(writer, "b", AG_U8, 1, negative, &value, new_failure()), AG_ESHAPE,
                  "axis 0 is -1");
    expect_status(ag_npz_add(writer, "b", AG_U8, 2, huge, &value, new_failure()), AG_ESHAPE,
                  "axis 1 is 1073741824");
    expect_status(ag_npz_add(writer, "b", AG_U8, 1, one, NULL, new_failure()), AG_EUSE,
                  "no data for its 1 values");
    for (int i = 2; i < 64; i++)
        expect_ok(ag_npz_add(writer, formatted("n%d", i), AG_U8, 1, one, &value, new_failure()));
    expect_status(ag_npz_add(writer, "last", AG_U8, 1, one, &value, new_failure()), AG_EUSE,
                  "at most 64 fit");
    int files = files_count();
    ag_npz_cancel(writer);
    assert_int_equal(files_count(), files);
    expect_null(ag_npz_open(path, LIMIT, new_failure()), AG_EFILE, path);

    writer = ag_npz_create(files_path("no/such/folder.npz"), new_failure());
    expect_ok(ag_npz_add(writer, "a", AG_U8, 1, one, &value, new_failure()));
    expect_status(ag_npz_finish(writer, new_failure()), AG_EFILE,
                  "no/such/folder.npz: No such file or directory");
}

/* Equal arrays give equal bytes: the local header has the date 1980-01-01 instead of today's. */
static void the_bytes_do_not_depend_on_the_time(void **state)
{
    static const unsigned char date[] = {0, 0, 1 << 5 | 1, 0};
    static float data[1000];
    const int64_t size[] = {1000};
    size_t n;
    ag_npz_close(write_one("x", AG_F32, 1, size, data));
    unsigned char *bytes = files_get(files_path("one.npz"), &n);
    assert_in_range(n, 100, 1000);
    assert_memory_equal(bytes + 10, date, sizeof date);
    free(bytes);
}

static void an_archive_without_members_is_a_file_too(void **state)
{
    expect_ok(ag_npz_finish(ag_npz_create(files_path("none.npz"), new_failure()), new_failure()));
    ag_npz *npz = expect_made(ag_npz_open(files_path("none.npz"), LIMIT, new_failure()));
    assert_int_equal(ag_npz_count(npz), 0);
    assert_null(ag_npz_info(npz, 0));
    assert_null(ag_npz_info(npz, -1));
    ag_npz_close(npz);
}

/* One run of everything; stops at the first failure. */
static ag_status write_and_read(ag_failure *why)
{
    const int64_t size[] = {2, 2};
    const int32_t data[] = {1, 2, 3, 4};
    int8_t back[4] = {0};
    ag_npz_writer *writer = ag_npz_create(files_path("nth.npz"), why);
    if (!writer) return why->status;
    ag_status status = ag_npz_add(writer, "a", AG_I32, 2, size, data, why);
    if (status == AG_OK) status = ag_npz_add(writer, "b", AG_I32, 2, size, data, why);
    if (status != AG_OK) {
        ag_npz_cancel(writer);
        return status;
    }
    status = ag_npz_finish(writer, why);
    ag_npz *npz = status == AG_OK ? ag_npz_open(files_path("nth.npz"), LIMIT, why) : NULL;
    if (!npz) return why->status;
    status = ag_npz_read(npz, "b", AG_I8, back, why);
    ag_npz_close(npz);
    if (status == AG_OK) assert_int_equal(back[3], 4);
    return status;
}

static void the_nth_allocation_fails_with_a_sentence(void **state)
{
    long before = ag__allocations();
    expect_ok(write_and_read(new_failure()));
    long all = ag__allocations() - before;
    assert_true(all >= 7);
    for (long nth = 1; nth <= all; nth++) {
        ag_failure memory = {0};
        int files = files_count();
        ag__fail_allocation(nth, 0);
        assert_int_equal(write_and_read(&memory), AG_EMEMORY);
        expect_sentence(&memory, AG_EMEMORY, "no memory");
        assert_int_equal(files_count(), files);
    }
    ag__fail_allocation(0, 0);
}

/* A level changes the bytes of the file, not the values. */
static void quick_files_are_larger_and_say_the_same(void **state)
{
    static float data[5000], back[5000];
    size_t bytes[2] = {0};
    fill_numbers(data, 2500, 1);
    for (int i = 0; i < 2; i++) {
        const char *path = files_path("level.npz");
        ag_npz_writer *writer = ag_npz_create(path, new_failure());
        expect_ok(ag_npz_level(writer, i ? 1 : 9, new_failure()));
        assert_int_equal(ag_npz_level(writer, i ? 0 : 10, NULL), AG_EUSE);
        expect_ok(ag_npz_add(writer, "x", AG_F32, 1, (int64_t[]){5000}, data, new_failure()));
        char *streamed = NULL, *file;
        size_t count = 0;
        FILE *stream = open_memstream(&streamed, &count);
        expect_ok(ag_npz_write(writer, stream, new_failure()));
        fclose(stream);
        expect_ok(ag_npz_finish(writer, new_failure()));
        file = files_get(path, &bytes[i]);
        assert_int_equal(count, bytes[i]);
        assert_memory_equal(streamed, file, count);
        free(streamed);
        free(file);
        ag_npz *npz = ag_npz_open(path, LIMIT, new_failure());
        expect_ok(ag_npz_read(npz, "x", AG_F32, back, new_failure()));
        assert_memory_equal(back, data, sizeof data);
        ag_npz_close(npz);
    }
    assert_true(bytes[1] > bytes[0]);
}

int main(void)
{
    return RUN_TESTS_WITH(
        files_make, files_remove, arrays_come_back_as_they_were, dtypes_have_names_and_sizes,
        integers_convert_by_value, ranges_of_integers_are_exact, floats_convert_to_floats_alone,
        rows_are_streamed_in_any_portions, a_failed_row_reader_stays_failed,
        the_writer_refuses_what_it_cannot_write, the_bytes_do_not_depend_on_the_time,
        an_archive_without_members_is_a_file_too, quick_files_are_larger_and_say_the_same,
        the_nth_allocation_fails_with_a_sentence);
}
