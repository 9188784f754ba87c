/* SPDX-License-Identifier: MIT */
/* Safetensors checkpoints: contents, and damaged files. */
#include "core/internal.h"
#include "core/io/io.h"
#include "core/io/safetensors_internal.h"
#include "core/shape.h"
#include "support/test.h"
#include "support/checkpoint_file.h"

#include <sys/stat.h>

/* ---- written files are read back ---- */

static const float f32[6] = {1.5f, -2, 3e-30f, 0, -0.0f, 7};
static const double f64[2] = {1.0 / 3, -1e300};
static const int32_t i32[2] = {INT32_MIN, 5};
static const int64_t i64 = INT64_MIN;
static const uint8_t u8[3] = {0, 128, 255};
static const int8_t i8[1] = {-128};

static const ag_checkpoint_item items[] = {
    {"bytes", AG_U8, {1, {3, 1, 1, 1}}, u8},     {"small", AG_I8, {1, {1, 1, 1, 1}}, i8},
    {"weights", AG_F32, {2, {2, 3, 1, 1}}, f32}, {"indices", AG_I32, {1, {2, 1, 1, 1}}, i32},
    {"precise", AG_F64, {3, {2, 1, 1, 1}}, f64}, {"scalar", AG_I64, {0, {1, 1, 1, 1}}, &i64},
    {"empty", AG_F32, {2, {0, 4, 1, 1}}, NULL},
};
enum { ITEMS = sizeof items / sizeof *items };

static const ag_checkpoint_pair pairs[] = {
    {"model", "{\"name\":\"caf\xc3\xa9\",\n\"size\":3}"},
    {"empty", ""},
    {"signs", "\xe2\x82\xac \xf0\x9f\x98\x80 \x7f\x01"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static ag_checkpoint *open_good(void)
{
    return expect_made(ag_checkpoint_open(path, new_failure()));
}

static void everything_comes_back(void **state)
{
    static const char *const order[ITEMS] = {"precise", "scalar", "weights", "indices",
                                             "empty",   "bytes",  "small"};
    char out[64];
    expect_ok(ag_checkpoint_save(path, items, ITEMS, pairs, PAIRS, new_failure()));
    ag_checkpoint *c = open_good();
    assert_true(ag_checkpoint_verified(c));
    assert_int_equal(ag_checkpoint_count(c), ITEMS);
    for (int i = 0; i < ITEMS; i++) {
        const ag_checkpoint_item *item = ag_checkpoint_find(c, items[i].name);
        size_t bytes = (size_t)ag_shape_count(items[i].shape) * ag_dtype_bytes(items[i].dtype);
        assert_non_null(item);
        assert_int_equal(item->dtype, items[i].dtype);
        assert_true(ag_shape_equal(item->shape, items[i].shape));
        assert_int_equal((uintptr_t)item->data % ag_dtype_bytes(item->dtype), 0);
        expect_ok(ag_checkpoint_read(c, items[i].name, items[i].dtype, items[i].shape, out,
                                     new_failure()));
        if (bytes) assert_memory_equal(out, items[i].data, bytes);
    }
    for (int i = 0; i < ITEMS; i++) assert_string_equal(ag_checkpoint_at(c, i)->name, order[i]);
    assert_null(ag_checkpoint_at(c, -1));
    assert_null(ag_checkpoint_at(c, ITEMS));
    assert_null(ag_checkpoint_find(c, "weight"));
    ag_checkpoint_pair pair;
    for (int i = 0; i < PAIRS; i++) {
        assert_string_equal(ag_checkpoint_metadata(c, pairs[i].key), pairs[i].value);
        assert_true(ag_checkpoint_metadata_at(c, i, &pair));
        assert_string_equal(pair.key, pairs[i].key);
        assert_string_equal(pair.value, pairs[i].value);
    }
    assert_false(ag_checkpoint_metadata_at(c, PAIRS, &pair));
    assert_null(ag_checkpoint_metadata(c, "other"));
    ag_checkpoint_close(c);
}

static void expect_damaged(unsigned char *bytes, size_t n, const char *part)
{
    FILE *file = fmemopen(bytes, n + 1, "rb"); /* a 0 follows */
    assert_non_null(file);
    expect_null(ag__checkpoint_read_file(file, n, "image", new_failure()), AG_EDATA, part);
    for (const char *s = last_failure()->sentence; *s; s++) assert_in_range(*s, ' ', '~');
    fclose(file);
}

static void every_cut_and_every_flipped_bit_is_noticed(void **state)
{
    size_t n = 0;
    uint64_t header;
    assert_int_equal(ag_checkpoint_save(path, items, ITEMS, pairs, PAIRS, NULL), AG_OK);
    unsigned char *bytes = files_get(path, &n);
    memcpy(&header, bytes, sizeof header);
    for (size_t cut = 0; cut < n; cut++) expect_damaged(bytes, cut, "image: ");
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        expect_damaged(
            bytes, n, bit / 8 < 8 + header ? "image: " : "is damaged (its checksum differs); take");
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(bytes);
}

static void reading_as_something_else_is_refused(void **state)
{
    float out[6];
    assert_int_equal(ag_checkpoint_save(path, items, ITEMS, NULL, 0, NULL), AG_OK);
    ag_checkpoint *c = open_good();
    expect_status(ag_checkpoint_read(c, "weight", AG_F32, AG_SHAPE(2, 3), out, new_failure()),
                  AG_EDATA, "x.safetensors: there is no tensor \"weight\"");
    expect_status(ag_checkpoint_read(c, "weights", AG_I32, AG_SHAPE(2, 3), out, new_failure()),
                  AG_EDATA, "\"weights\" is float32; int32 is wanted");
    expect_status(ag_checkpoint_read(c, "weights", AG_F32, AG_SHAPE(3, 2), out, new_failure()),
                  AG_ESHAPE, "has shape [2,3]; [3,2] is wanted");
    ag_checkpoint_close(c);
}

static void what_cannot_be_written_is_refused(void **state)
{
    static char long_name[300];
    memset(long_name, 'n', sizeof long_name - 1);
    const struct {
        ag_checkpoint_item item;
        ag_status status;
        const char *sentence;
    } bad[] = {
        {{"weights", AG_F32, AG_SHAPE(1), f32}, AG_EUSE, "\"weights\" is used for two tensors"},
        {{NULL, AG_F32, AG_SHAPE(1), f32}, AG_EUSE, "name of tensor 1 is \"(null)\""},
        {{"a b", AG_F32, AG_SHAPE(1), f32}, AG_EUSE, "printable ASCII"},
        {{"__metadata__", AG_F32, AG_SHAPE(1), f32}, AG_EUSE, "not __metadata__"},
        {{long_name, AG_F32, AG_SHAPE(1), f32}, AG_EUSE, "1 to 255"},
        {{"x", (ag_dtype)77, AG_SHAPE(1), f32}, AG_EUSE, "unknown type 77"},
        {{"x", AG_F32, AG_SHAPE(-1), f32}, AG_ESHAPE, "has shape [-1]"},
        {{"x", AG_F32, AG_SHAPE(1), NULL}, AG_EUSE, "has shape [1] but no data"},
    };
    const struct {
        ag_checkpoint_pair pair;
        const char *sentence;
    } worse[] = {
        {{"xxh3", "1"}, "key \"xxh3\" is not allowed"},
        {{"xxh3:w", "1"}, "does not begin with xxh3"},
        {{"k", NULL}, "has no value"},
        {{NULL, "v"}, "\"(null)\" is not allowed"},
        {{"k", "\xff"}, "\"k\" is not valid UTF-8"},
        {{"k", "\xc0\x80"}, "not valid UTF-8"},
        {{"k", "\xed\xa0\x80"}, "not valid UTF-8"},
        {{"k", "\xf4\x90\x80\x80"}, "not valid UTF-8"},
        {{"k", "\xe2\x82"}, "not valid UTF-8"},
        {{"model", "2"}, "\"model\" is used twice"},
    };
    unlink(path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const ag_checkpoint_item two[2] = {items[2], bad[i].item};
        expect_status(ag_checkpoint_save(path, two, 2, NULL, 0, new_failure()), bad[i].status,
                      bad[i].sentence);
    }
    for (size_t i = 0; i < sizeof worse / sizeof *worse; i++) {
        const ag_checkpoint_pair two[2] = {pairs[0], worse[i].pair};
        expect_status(ag_checkpoint_save(path, items, 1, two, 2, new_failure()), AG_EUSE,
                      worse[i].sentence);
    }
    expect_status(ag_checkpoint_save(path, items, -1, NULL, 0, new_failure()), AG_EUSE,
                  "-1 tensors");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(ag_checkpoint_save(path, NULL, 0, NULL, 0, NULL), AG_OK); /* nothing is fine */
    ag_checkpoint *c = open_good();
    assert_int_equal(ag_checkpoint_count(c), 0);
    ag_checkpoint_close(c);
}

/* ---- files of others ---- */

static void write_raw(uint64_t length, const char *header, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    fwrite(&length, 1, 8, file);
    fputs(header, file);
    fwrite(data, 1, bytes, file);
    fclose(file);
}

/* Without checksums, as Python's safetensors writes files (tests/golden has one): F16 and BF16
   between other types become float32, from any place in the file. */
static void halves_are_read(void **state)
{
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"pt\"},"
        "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
        "\"h\":{\"dtype\":\"F16\",\"shape\":[2,3],\"data_offsets\":[1,13]},"
        "\"b\":{\"dtype\":\"BF16\",\"shape\":[3],\"data_offsets\":[13,19]},"
        "\"e\":{\"dtype\":\"F16\",\"shape\":[0],\"data_offsets\":[19,19]},"
        "\"f\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[19,23]}}a";
    static const uint16_t halves[11] = {0x3c00, 0xc100, 0x7bff, 0x0001, 0x8000, 0x7c00,
                                        0x3f80, 0xc040, 0x7f7f, 0x0000, 0x3f80}; /* f: two */
    const float want_h[6] = {1, -2.5f, 65504, 0x1p-24f, -0.0f, INFINITY};
    const float want_b[3] = {1, -3, 0x1.fep127f};
    float got[6];
    /* the last character of the header is tensor a */
    write_raw(sizeof header - 2, header, halves, sizeof halves);
    ag_checkpoint *c = open_good();
    assert_false(ag_checkpoint_verified(c));
    assert_string_equal(ag_checkpoint_metadata(c, "format"), "pt");
    assert_int_equal(ag_checkpoint_read(c, "h", AG_F32, AG_SHAPE(2, 3), got, NULL), AG_OK);
    assert_memory_equal(got, want_h, sizeof want_h);
    assert_int_equal(ag_checkpoint_read(c, "b", AG_F32, AG_SHAPE(3), got, NULL), AG_OK);
    assert_memory_equal(got, want_b, sizeof want_b);
    assert_int_equal(ag_checkpoint_read(c, "f", AG_F32, AG_SHAPE(1), got, NULL), AG_OK);
    assert_true(got[0] == 1);
    ag_checkpoint_close(c);
    for (int nth = 1, read = 0; !read; nth++) { /* no memory for the values is a sentence, too */
        ag__fail_allocation(nth, 0);
        read = (c = ag_checkpoint_open(path, new_failure())) != NULL;
        ag__fail_allocation(0, 0);
        if (!read) expect_sentence(last_failure(), AG_EMEMORY, "no memory");
    }
    ag_checkpoint_close(c);
}

#define T(dtype, shape, span) \
 "{\"a\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" span "}}"
#define OK_TENSOR "{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}"

static void evil_headers_are_refused(void **state)
{
    static char deep[20000] = "{\"a\":";
    memset(deep + 5, '[', sizeof deep - 6);
    const struct {
        const char *header;
        size_t data;
        const char *sentence;
    } evil[] = {
        {"[]", 0, "must begin with {"},
        {" {}", 0, "must begin with {"},
        {"{]", 0, "not valid JSON at byte 2"},
        {"{}x", 0, "not valid JSON"},
        {"{\"\\u0000\":1}", 0, "not valid JSON"},
        {"{\"\xff\":1}", 0, "not valid JSON"},
        {deep, 0, "more than 64 lists and objects within one another at byte 68"},
        {"{\"a\":" OK_TENSOR ",\"a\":" OK_TENSOR "}", 4, "duplicate object key"},
        {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 4, "duplicate object key"},
        {"{\"a\":1}", 0, "tensor \"a\": it must have exactly dtype, shape"},
        {"{\"a\\u001b[31m\":1}", 0, "tensor \"a?[31m\""},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0]}}", 0, "exactly dtype, shape and data_offsets"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0],\"b\":1}}", 0, "exactly"},
        {T("F8_E5M2", "[4]", "[0,4]"), 4, "its type is \"F8_E5M2\"; F16, BF16, F32"},
        {T("BF16", "[4]", "[0,4]"), 4, "span 4 bytes, but type and shape need 8"},
        {"{\"a\":{\"dtype\":7,\"shape\":[0],\"data_offsets\":[0,0]}}", 0, "exactly dtype"},
        {T("U8", "4", "[0,4]"), 4, "or is not a list"},
        {T("U8", "[1,1,1,1,4]", "[0,4]"), 4, "the shape has 5 axes"},
        {T("U8", "[-4]", "[0,4]"), 4, "size 0 of the shape is -4"},
        {T("U8", "[1,4.0]", "[0,4]"), 4, "size 1 of the shape is 0; it must be 0 to 2147483647"},
        {T("U8", "[4294967300]", "[0,4]"), 4, "size 0 of the shape is 4294967300"},
        {T("U8", "[18446744073709551620]", "[0,4]"), 4, "not valid JSON"},
        {T("F64", "[2147483647,2147483647,2]", "[0,4]"), 4, "more than 2^40 elements"},
        {T("F64", "[65536,65536,65536,65536]", "[0,0]"), 0, "more than 2^40 elements"},
        {T("U8", "[4]", "4"), 4, "data_offsets must be two integers"},
        {T("U8", "[4]", "[0,4,8]"), 4, "data_offsets must be two integers"},
        {T("U8", "[4]", "[0,\"4\"]"), 4, "data_offsets must be two integers"},
        {T("U8", "[4]", "[-4,0]"), 4, "data_offsets are [-4,0]"},
        {T("U8", "[4]", "[4,0]"), 4, "data_offsets are [4,0]"},
        {T("U8", "[4]", "[0,5]"), 4, "they must lie in 0 to 4"},
        {T("U8", "[1000000000]", "[0,1000000000]"), 4, "they must lie in 0 to 4"},
        {T("F32", "[4]", "[0,4]"), 4, "span 4 bytes, but type and shape need 16"},
        {T("F32", "[]", "[0,0]"), 0, "span 0 bytes, but type and shape need 4"},
        {T("U8", "[4]", "[1,5]"), 5, "begins at byte 1, but the one before it ends at 0"},
        {T("U8", "[4]", "[0,4]"), 5, "end at byte 4, but 5 bytes follow"},
        {"{}", 1, "end at byte 0, but 1 bytes follow"},
        {"{\"a\":" OK_TENSOR ",\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[3,7]}}", 7,
         "\"b\" begins at byte 3, but the one before it ends at 4"},
        {"{\"a\":" OK_TENSOR ",\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[5,9]}}", 9,
         "holes and overlaps"},
        {"{\"__metadata__\":[]}", 0, "__metadata__ must be an object of strings"},
        {"{\"__metadata__\":{\"k\":1}}", 0, "metadata \"k\" must be a string"},
        {"{\"__metadata__\":{\"xxh3:a\":\"0\"}}", 0, "its checksum is missing"},
        {"{\"__metadata__\":{\"xxh3\":\"0\"}}", 0, "its checksum differs"},
    };
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
        write_raw(strlen(evil[i].header), evil[i].header, "xxxxxxxxx", evil[i].data);
        expect_null(ag_checkpoint_open(path, new_failure()), AG_EDATA, evil[i].sentence);
        expect_sentence(last_failure(), AG_EDATA, "x.safetensors: ");
    }
}

static void depth_is_counted_outside_of_strings(void **state)
{
    char text[200] = "{\"\\\"[\": ", *at = text + strlen(text);
    memset(at, '[', 64);
    memset(at + 64, ']', 63);
    assert_ptr_equal(ag_json_too_deep(text, strlen(text)), at + 63);
    assert_null(ag_json_too_deep(text, (size_t)(at + 63 - text)));
    at[62] = '"';
    assert_null(ag_json_too_deep(text, strlen(text)));
    memcpy(at, "{}[]", 4);
    assert_null(ag_json_too_deep(text, strlen(text)));
}

static void evil_lengths_are_refused(void **state)
{
    const uint64_t lengths[] = {0, 1, 3, 100000001, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        write_raw(lengths[i], "{}", "", 0);
        expect_null(ag_checkpoint_open(path, new_failure()), AG_EDATA, "the first 8 bytes say");
    }
    static const char *const says[] = {"x.safetensors is empty",
                                       "has 9 bytes, a safetensors file at"};
    for (size_t n = 0; n < 10; n += 9) {
        files_put(path, "\2\0\0\0\0\0\0\0{", n);
        expect_null(ag_checkpoint_open(path, new_failure()), AG_EDATA, says[n / 9]);
    }
}

static void what_is_no_file_is_refused(void **state)
{
    unlink(path);
    expect_null(ag_checkpoint_open(path, new_failure()), AG_EFILE, "x.safetensors: No such file");
    expect_null(ag_checkpoint_open(files_folder, new_failure()), AG_EFILE, "not a regular file");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(ag_checkpoint_open(path, new_failure())); /* must not wait for a writer */
    expect_sentence(last_failure(), AG_EFILE, "not a regular file");
    unlink(path);
}

int main(void)
{
    return RUN_TESTS_WITH(
        make_folder, remove_folder, everything_comes_back,
        every_cut_and_every_flipped_bit_is_noticed, reading_as_something_else_is_refused,
        what_cannot_be_written_is_refused, halves_are_read, evil_headers_are_refused,
        depth_is_counted_outside_of_strings, evil_lengths_are_refused, what_is_no_file_is_refused);
}
