/* SPDX-License-Identifier: MIT */
/* Damaged npz and npy files: every truncation and many bit flips are read as they were or refused
   in a sentence. AUGUR_FULL=1 tries all 20,000 flips. */
#include "core/internal.h"
#include "core/io/io.h"
#include "support/test.h"
#include "support/files.h"

#include <sys/resource.h>
#include <sys/stat.h>

enum { LIMIT = 1 << 20, MEMBERS = 8, MOST_BYTES = 2048 };

static unsigned char values[MEMBERS][MOST_BYTES]; /* of the sample */
static ag_array_info infos[MEMBERS];
static unsigned char *sample;
static size_t sample_bytes;

static int is_full(void) { return ag_switch("AUGUR_FULL", 0); }

/* About 8 KB, in the dtypes and shapes of a TpuGraphs file. */
static int make_sample(void **state)
{
    static const struct {
        const char *name;
        ag_dtype dtype;
        int rank;
        int64_t size[4];
    } arrays[MEMBERS] = {
        {"node_feat", AG_F32, 2, {40, 12}},       {"node_opcode", AG_U8, 1, {40}},
        {"edge_index", AG_I64, 2, {60, 2}},       {"node_config_feat", AG_F32, 3, {5, 5, 18}},
        {"node_config_ids", AG_I32, 1, {5}},      {"config_runtime", AG_F64, 1, {200}},
        {"node_splits", AG_I8, 4, {1, 3, 2, 50}}, {"nothing", AG_F32, 2, {0, 7}},
    };
    ag_random r = {2024, 0, 0};
    ag_failure why = {0};
    if (files_make(state)) return -1;
    ag_npz_writer *writer = ag_npz_create(files_path("sample.npz"), &why);
    for (int i = 0; i < MEMBERS; i++) {
        for (int k = 0; k < MOST_BYTES; k++) values[i][k] = (unsigned char)ag_random_bits(&r);
        ag_npz_add(writer, arrays[i].name, arrays[i].dtype, arrays[i].rank, arrays[i].size,
                   values[i], &why);
    }
    ag_npz_finish(writer, &why);
    ag_npz *npz = ag_npz_open(files_path("sample.npz"), LIMIT, &why);
    for (int i = 0; npz && i < MEMBERS; i++) infos[i] = *ag_npz_info(npz, i);
    ag_npz_close(npz);
    sample = files_get(files_path("sample.npz"), &sample_bytes);
    return npz && sample_bytes > 6000 && sample_bytes < 9000 ? 0 : -1;
}

static int drop_sample(void **state)
{
    free(sample);
    return files_remove(state);
}

static int same_info(const ag_array_info *a, const ag_array_info *b)
{
    return !strcmp(a->name, b->name) && a->dtype == b->dtype && a->rank == b->rank &&
           !memcmp(a->size, b->size, sizeof a->size) && a->count == b->count &&
           a->fortran == b->fortran;
}

/* 1: read and equal to the sample; 0: refused in a sentence; -1: read, but something else. */
static int is_sample(ag_npz *npz, ag_failure why)
{
    unsigned char back[MOST_BYTES];
    int same = 1;
    if (npz && ag_npz_count(npz) != MEMBERS) same = -1;
    for (int i = 0; npz && same == 1 && i < ag_npz_count(npz); i++) {
        const ag_array_info *info = ag_npz_info(npz, i);
        size_t bytes = (size_t)info->count * ag_dtype_bytes(info->dtype);
        if (bytes > sizeof back)
            same = -1; /* its CRC would show it, but it should not get here */
        else if (ag_npz_read(npz, info->name, info->dtype, back, &why) != AG_OK)
            same = 0;
        else if (!same_info(info, &infos[i]) || memcmp(back, values[i], bytes))
            same = -1;
    }
    ag_npz_close(npz);
    if (npz && same) return same;
    if (why.status == AG_OK || strlen(why.sentence) < 20 || strstr(why.sentence, "no memory"))
        fail_msg("refused with status %d and \"%s\"", why.status, why.sentence);
    return 0;
}

static int bytes_are_sample(size_t n)
{
    ag_failure why = {0};
    ag_npz *npz = ag_npz_open_bytes(sample, n, "sample.npz", LIMIT, &why);
    return is_sample(npz, why);
}

static int file_is_sample(void)
{
    ag_failure why = {0};
    const char *path = files_path("flip.npz");
    files_put(path, sample, sample_bytes);
    ag_npz *npz = ag_npz_open(path, LIMIT, &why);
    return is_sample(npz, why);
}

/* The same with a bit that is flipped, of some in a file; another result than the sample fails the
   test. */
static int flipped_is_sample(size_t bit)
{
    sample[bit / 8] ^= (unsigned char)(1 << bit % 8);
    const int same = bit % 16 ? bytes_are_sample(sample_bytes) : file_is_sample();
    sample[bit / 8] ^= (unsigned char)(1 << bit % 8);
    if (same < 0) fail_msg("bit %zu changes what is read", bit);
    return same;
}

static void every_truncation_is_refused(void **state)
{
    assert_int_equal(bytes_are_sample(sample_bytes), 1);
    for (size_t n = sample_bytes; n-- > 0;)
        if (bytes_are_sample(n)) fail_msg("%zu of %zu bytes are read", n, sample_bytes);
}

static void bit_flips_are_harmless_or_refused(void **state)
{
    ag_random r = {7, 0, 0};
    int flips = is_full() ? 20000 : 1000, refused = 0;
    for (int i = 0; i < flips; i++)
        refused += !flipped_is_sample(ag_random_below(&r, (uint32_t)(8 * sample_bytes)));
    assert_true(refused > flips * 9 / 10); /* only bits without meaning may flip */
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    assert_true(use.ru_maxrss < 700 << 10); /* KiB; the sanitizer takes most of it */
}

/* Where nearly every bit has a meaning: all flips of the directory and the end record. */
static void every_flip_of_the_directory_is_harmless_or_refused(void **state)
{
    size_t start = sample[sample_bytes - 6] | (size_t)sample[sample_bytes - 5] << 8;
    assert_memory_equal(sample + start, "PK\1\2", 4);
    for (size_t bit = 8 * start; bit < 8 * sample_bytes; bit++) flipped_is_sample(bit);
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
        {files_path("text"), "no zip file", AG_EDATA},
        {files_path("short"), "it has 5 bytes", AG_EDATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ag_failure why = {0};
        assert_null(ag_npz_open(cases[i].path, LIMIT, &why));
        expect_sentence(&why, cases[i].status, cases[i].part);
        if (i == 6 || i == 7) continue;
        ag_array_info info;
        void *data;
        ag_failure npy = {0};
        assert_int_equal(ag_npy_load(cases[i].path, LIMIT, &info, &data, &npy), cases[i].status);
        assert_string_equal(npy.sentence, why.sentence);
    }
}

/* Downloads leave these under any name: npz, npy and checkpoints say the same. */
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
        ag_failure npz = {0}, npy = {0}, checkpoint = {0};
        ag_array_info info;
        void *data;
        size_t n = cases[i].n;
        while (!cases[i].n && (cases[i].bytes[n] || n < 10)) n++; /* gzip has zeros early */
        files_put(path, cases[i].bytes, n);
        assert_null(ag_npz_open(path, LIMIT, &npz));
        assert_int_equal(ag_npy_load(path, LIMIT, &info, &data, &npy), AG_EDATA);
        assert_null(ag_checkpoint_open(path, &checkpoint));
        if (!strstr(npz.sentence, cases[i].part)) fail_msg("%s: %s", cases[i].part, npz.sentence);
        assert_string_equal(npy.sentence, npz.sentence);
        assert_string_equal(checkpoint.sentence, npz.sentence);
    }
    assert_null(ag_file_mistaken(NULL));
    assert_null(ag_file_mistaken("/nowhere"));
    assert_null(ag_file_mistaken("/"));
}

/* A format of ours under the name of another, and cut short under its own. */
static void our_formats_are_told_apart(void **state)
{
    const int64_t size[] = {100};
    const ag_checkpoint_item item = {"x", AG_U8, AG_SHAPE(100), values[0]};
    ag_array_info info;
    void *data;
    size_t n;
    ag_failure why[4] = {{0}};
    const char *npy = strcpy((char[600]){0}, files_path("one.npy"));
    assert_int_equal(ag_npy_save(npy, AG_U8, 1, size, values[0], NULL), AG_OK);
    assert_null(ag_npz_open(npy, LIMIT, &why[0]));
    assert_non_null(strstr(why[0].sentence, "is a single array of numpy (.npy); store arrays"));
    assert_null(ag_checkpoint_open(npy, &why[1]));
    assert_non_null(strstr(why[1].sentence, "is a single array of numpy (.npy)"));
    assert_int_equal(ag_npy_load(files_path("sample.npz"), LIMIT, &info, &data, &why[2]), AG_EDATA);
    assert_non_null(strstr(why[2].sentence, "is a zip archive, as .npz files"));
    const char *tensors = files_path("t.safetensors");
    assert_int_equal(ag_checkpoint_save(tensors, &item, 1, NULL, 0, NULL), AG_OK);
    unsigned char *bytes = files_get(tensors, &n);
    files_put(tensors, bytes, 50);
    free(bytes);
    assert_null(ag_checkpoint_open(tensors, &why[3]));
    assert_non_null(strstr(why[3].sentence, "the first 8 bytes say"));
    assert_string_equal(ag_file_mistaken(tensors), "is a safetensors file");
}

/* A limit that is just reached, and one byte less. */
static void the_byte_limit_is_exact(void **state)
{
    const char *path = files_path("sample.npz");
    size_t largest = 128 + 40 * 12 * 4;
    ag_failure why = {0};
    ag_npz *npz = ag_npz_open(path, largest, &why);
    assert_non_null(npz);
    ag_npz_close(npz);
    assert_null(ag_npz_open(path, largest - 1, &why));
    expect_sentence(&why, AG_EMEMORY, "node_feat has 2048 bytes, but the limit is 2047");
    ag_array_info info;
    void *data;
    const int64_t size[] = {100};
    assert_int_equal(ag_npy_save(files_path("a.npy"), AG_U8, 1, size, values[0], NULL), AG_OK);
    assert_int_equal(ag_npy_load(files_path("a.npy"), 100, &info, &data, NULL), AG_OK);
    ag_npy_free(data);
    assert_int_equal(ag_npy_load(files_path("a.npy"), 99, &info, &data, NULL), AG_EMEMORY);
    assert_null(data);
}

/* npy files have no checksum: a flipped value passes, but never a size that does not fit. */
static void damaged_npy_files_are_refused(void **state)
{
    const char *path = files_path("b.npy");
    const int64_t size[] = {5, 3};
    size_t n = 0;
    ag_array_info info;
    void *data;
    assert_int_equal(ag_npy_save(path, AG_I32, 2, size, values[1], NULL), AG_OK);
    unsigned char *bytes = files_get(path, &n);
    assert_int_equal(n, 128 + 60);
    for (size_t cut = 0; cut < n; cut++) {
        ag_failure why = {0};
        files_put(path, bytes, cut);
        assert_int_equal(ag_npy_load(path, LIMIT, &info, &data, &why), AG_EDATA);
        assert_true(strlen(why.sentence) > 20);
        assert_null(data);
    }
    for (size_t bit = 0; bit < 8 * n; bit++) {
        ag_failure why = {0};
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        files_put(path, bytes, n);
        if (ag_npy_load(path, LIMIT, &info, &data, &why) != AG_OK)
            assert_true(strlen(why.sentence) > 20);
        else
            assert_true((size_t)info.count * ag_dtype_bytes(info.dtype) <= n - 80);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ag_npy_free(data);
    }
    free(bytes);
}

int main(void)
{
    return RUN_TESTS_WITH(
        make_sample, drop_sample, every_truncation_is_refused, bit_flips_are_harmless_or_refused,
        every_flip_of_the_directory_is_harmless_or_refused, things_that_are_no_npz_are_refused,
        usual_wrong_files_are_named, our_formats_are_told_apart, the_byte_limit_is_exact,
        damaged_npy_files_are_refused);
}
