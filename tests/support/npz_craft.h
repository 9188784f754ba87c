/* SPDX-License-Identifier: MIT */
/* npz files made byte by byte, for the tests of files that are refused. Include after test.h. */
#ifndef TESTS_NPZ_CRAFT_H
#define TESTS_NPZ_CRAFT_H

#include "core/io/io.h"
#include "files.h"

enum { LIMIT = 1 << 16 }; /* byte limit of every open */

/* ---- making files ---- */

/* One stored member and the zip's claims about it (0: the truth). */
typedef struct entry {
    const char *name;
    const void *bytes;
    uint32_t n, claimed_size, method, flags, wrong_crc;
} entry;

static unsigned char made[1 << 23];
static size_t made_n;

static inline void put(uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) made[made_n++] = i < 8 ? (unsigned char)(value >> 8 * i) : 0;
}

static inline void put_bytes(const void *bytes, size_t n)
{
    memcpy(made + made_n, bytes, n);
    made_n += n;
}

static inline uint32_t crc32_of(const unsigned char *bytes, size_t n)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

/* The fields that a local header and a directory entry share. */
static inline void put_fields(const entry *e)
{
    put(20, 2);
    put(e->flags, 2);
    put(e->method, 2);
    put(0x210000, 4);
    put(crc32_of(e->bytes, e->n) ^ e->wrong_crc, 4);
    put(e->n, 4);
    put(e->claimed_size ? e->claimed_size : e->n, 4);
    put(strlen(e->name), 2);
    put(0, 2);
}

static inline void put_end(unsigned entries, size_t size, size_t offset)
{
    put_bytes("PK\5\6\0\0\0", 8);
    put(entries, 2);
    put(entries, 2);
    put(size, 4);
    put(offset, 4);
    put(0, 2);
}

static inline void make_zip(const entry *e, int count)
{
    size_t at[260];
    made_n = 0;
    for (int i = 0; i < count; i++) {
        at[i] = made_n;
        put_bytes("PK\3\4", 4);
        put_fields(&e[i]);
        put_bytes(e[i].name, strlen(e[i].name));
        put_bytes(e[i].bytes, e[i].n);
    }
    size_t start = made_n;
    for (int i = 0; i < count; i++) {
        put_bytes("PK\1\2\24\0", 6);
        put_fields(&e[i]);
        put(0, 10);
        put(at[i], 4);
        put_bytes(e[i].name, strlen(e[i].name));
    }
    put_end((unsigned)count, made_n - start, start);
}

/* An npy file of this version, dictionary and values; returns its length. */
static inline uint32_t make_npy(unsigned char *out, int version, const char *dict, const void *data,
                                size_t n)
{
    size_t text = strlen(dict), at = version == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    memcpy(out + 6,
           (unsigned char[]){(unsigned char)version, 0, text & 0xFF, text >> 8 & 0xFF, 0, 0}, 6);
    memcpy(out + at, dict, text);
    if (n) memcpy(out + at + text, data, n);
    return (uint32_t)(at + text + n);
}

/* A zip of one npy file. */
static inline void make_npz(const unsigned char *npy, uint32_t n)
{
    const entry e = {.name = "x.npy", .bytes = npy, .n = n};
    make_zip(&e, 1);
}

/* ---- opening ---- */

static inline ag_npz *open_made(ag_failure *why)
{
    const char *path = files_path("made.npz");
    assert_int_equal(files_put(path, made, made_n), 0);
    return ag_npz_open(path, LIMIT, why);
}

static inline ag_npz *open_good(void) { return expect_made(open_made(new_failure())); }

/* Refused at once, or passed over and refused when x is asked for. */
static inline void expect_refused(ag_status status, const char *part)
{
    uint8_t byte;
    ag_failure why = {0};
    ag_npz *npz = open_made(&why);
    if (npz) {
        assert_null(ag_npz_find(npz, "x"));
        assert_int_equal(ag_npz_read(npz, "x", AG_U8, &byte, &why), AG_EDATA);
    }
    if (why.status != status || !strstr(why.sentence, part))
        fail_msg("opened: %d, status %d: \"%s\"; expected status %d and \"%s\"", npz != NULL,
                 why.status, why.sentence, status, part);
    ag_npz_close(npz);
}

static const char plain[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }\n";

/* A zip of one good array of four bytes, which the test changes. */
static inline entry good_entry(void)
{
    static unsigned char npy[200];
    return (entry){.name = "x.npy", .bytes = npy, .n = make_npy(npy, 1, plain, "abcd", 4)};
}

#endif
