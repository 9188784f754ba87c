/* SPDX-License-Identifier: MIT */
/* Files that are not an npz or checkpoint, and damaged npz files. */
#include "core/internal.h"
#include "core/io/io.h"
#include "support/test.h"
#include "support/files.h"

#include <sys/stat.h>

enum { LIMIT = 1 << 20 };

static const unsigned char values[100] = {3, 1, 4, 1, 5, 9};
static const float features[40 * 12] = {2, 7, 1, 8};

static const char *put_npz(void)
{
    const int64_t size[] = {40, 12}, count[] = {sizeof values};
    const char *path = files_path("sample.npz");
    ag_npz_writer *writer = ag_npz_create(path, NULL);
    assert_non_null(writer);
    assert_int_equal(ag_npz_add(writer, "node_feat", AG_F32, 2, size, features, NULL), AG_OK);
    assert_int_equal(ag_npz_add(writer, "ids", AG_U8, 1, count, values, NULL), AG_OK);
    assert_int_equal(ag_npz_finish(writer, NULL), AG_OK);
    return path;
}

static void things_that_are_no_npz_are_refused(void **state)
{
    char fifo[600];
    strcpy(fifo, files_path("fifo"));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    files_put(files_path("empty"), "", 0);
    files_put(files_path("text"), "a text, longer than the 22 bytes of a zip end record", 52);
    files_put(files_path("short"), "short", 5);
    const struct {
        const char *path, *part;
        ag_status status;
    } cases[] = {
        {"/nowhere/x.npz", "No such file", AG_EFILE},
        {"/", "is a folder", AG_EFILE},
        {fifo, "a device or a pipe", AG_EFILE},
        {"/dev/zero", "a device or a pipe", AG_EFILE},
        {"", "No such file", AG_EFILE},
        {files_path("empty"), "is empty", AG_EDATA},
        {files_path("text"), "not a zip file", AG_EDATA},
        {files_path("short"), "it has 5 bytes", AG_EDATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_null(ag_npz_open(cases[i].path, LIMIT, new_failure()), cases[i].status,
                    cases[i].part);
}

/* Downloads leave these under any name: npz and checkpoints say the same. */
static void usual_wrong_files_are_named(void **state)
{
    static char tar[600];
    memcpy(tar + 257, "ustar", 5);
    const struct {
        const char *bytes;
        size_t n;
        const char *part;
    } cases[] = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 16\n", 0,
         "is a pointer of Git LFS, not the file itself; run git lfs pull"},
        {"<!DOCTYPE html><html><head><title>Quota exceeded</title>", 0, "is a web page or XML"},
        {"\xef\xbb\xbf\r\n <HTML lang=en> and so on", 0, "is a web page or XML"},
        {"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code>", 0, "is a web page or XML"},
        {"{ \"message\": \"Not Found\", \"status\": \"404\"}", 0, "is the answer of a server"},
        {"{\"error\":\"Repository not found\"}", 0, "is the answer of a server"},
        {"404: Not Found", 0, "is the answer of a server"},
        {"\x1f\x8b\b\0\0\0\0\0\0\3 and more than that", 0, "is packed by gzip"},
        {"\xfd"
         "7zXZ\0 and so on, to be long enough",
         30, "is packed by xz"},
        {tar, sizeof tar, "is packed by tar"},
        {"\x80\4\x95 a pickle of Python, protocol 4", 0, "is a pickle of Python"},
    };
    const char *path = files_path("wrong");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ag_failure npz = {0}, checkpoint = {0};
        size_t n = cases[i].n;
        while (!cases[i].n && (cases[i].bytes[n] || n < 10)) n++; /* gzip has zeros early */
        files_put(path, cases[i].bytes, n);
        assert_null(ag_npz_open(path, LIMIT, &npz));
        assert_null(ag_checkpoint_open(path, &checkpoint));
        if (!strstr(npz.sentence, cases[i].part)) fail_msg("%s: %s", cases[i].part, npz.sentence);
        assert_string_equal(checkpoint.sentence, npz.sentence);
    }
    assert_null(ag_file_mistaken("/nowhere"));
    assert_null(ag_file_mistaken("/"));
}

/* A format of ours under the name of another, and cut short under its own. */
static void our_formats_are_told_apart(void **state)
{
    const ag_checkpoint_item item = {"x", AG_U8, AG_SHAPE(100), values};
    size_t n;
    const char *npy = strcpy((char[600]){0}, files_path("one.npy"));
    files_put(npy, "\x93NUMPY\1\0 and more than 22 bytes", 32);
    expect_null(ag_npz_open(npy, LIMIT, new_failure()), AG_EDATA,
                "is a single array of numpy (.npy); store arrays");
    expect_null(ag_checkpoint_open(npy, new_failure()), AG_EDATA,
                "is a single array of numpy (.npy)");
    assert_non_null(strstr(ag_file_mistaken(put_npz()), "is a zip archive, as .npz files"));
    const char *tensors = files_path("t.safetensors");
    assert_int_equal(ag_checkpoint_save(tensors, &item, 1, NULL, 0, NULL), AG_OK);
    unsigned char *bytes = files_get(tensors, &n);
    files_put(tensors, bytes, 50);
    free(bytes);
    expect_null(ag_checkpoint_open(tensors, new_failure()), AG_EDATA, "the first 8 bytes say");
    assert_string_equal(ag_file_mistaken(tensors), "is a safetensors file");
}

/* A limit that is just reached, and one byte less. */
static void the_byte_limit_is_exact(void **state)
{
    const char *path = put_npz();
    size_t largest = 128 + 40 * 12 * 4;
    ag_npz_close(expect_made(ag_npz_open(path, largest, new_failure())));
    expect_null(ag_npz_open(path, largest - 1, new_failure()), AG_EMEMORY,
                "node_feat has 2048 bytes, but the limit is 2047");
}

/* 1: the bytes are read as put_npz wrote them; 0: they are refused in a sentence. */
static int is_read(const unsigned char *bytes, size_t n)
{
    static const ag_array_info wanted[] = {
        {.name = "node_feat", .dtype = AG_F32, .rank = 2, .size = {40, 12, 1, 1}},
        {.name = "ids", .dtype = AG_U8, .rank = 1, .size = {100, 1, 1, 1}}};
    static const void *const data[] = {features, values};
    static unsigned char back[sizeof features];
    ag_failure why = {0};
    ag_npz *npz = ag_npz_open_bytes(bytes, n, "sample.npz", LIMIT, &why);
    if (npz) assert_int_equal(ag_npz_count(npz), 2);
    for (int i = 0; i < 2 && !why.status; i++) {
        const ag_array_info *info = ag_npz_info(npz, i);
        const size_t count = (size_t)info->count * ag_dtype_bytes(info->dtype);
        assert_true(count <= sizeof back);
        if (ag_npz_read(npz, info->name, info->dtype, back, &why)) break;
        assert_string_equal(info->name, wanted[i].name);
        assert_int_equal(info->dtype, wanted[i].dtype);
        assert_int_equal(info->rank, wanted[i].rank);
        assert_memory_equal(info->size, wanted[i].size, sizeof info->size);
        assert_int_equal(info->fortran, 0);
        assert_memory_equal(back, data[i], count);
    }
    ag_npz_close(npz);
    if (why.status && (strlen(why.sentence) < 20 || strstr(why.sentence, "no memory")))
        fail_msg("refused with status %d and \"%s\"", why.status, why.sentence);
    return !why.status;
}

static void damaged_npz_files_are_refused(void **state)
{
    size_t n = 0, refused = 0;
    unsigned char *bytes = files_get(put_npz(), &n);
    assert_true(is_read(bytes, n));
    for (size_t cut = 0; cut < n; cut++)
        if (is_read(bytes, cut)) fail_msg("%zu of %zu bytes are read", cut, n);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        refused += !is_read(bytes, n);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(refused > 8 * n * 9 / 10); /* only bits without meaning may flip */
    free(bytes);
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, things_that_are_no_npz_are_refused,
                          usual_wrong_files_are_named, our_formats_are_told_apart,
                          the_byte_limit_is_exact, damaged_npz_files_are_refused);
}
