/* SPDX-License-Identifier: MIT */
/* libzip believes the number of entries in a zip64 end record, and tries every end record that it
   finds. Both are checked here, on the last 64 KiB of the file. Layouts: APPNOTE.TXT 4.3.14
   to 4.3.16. */
#define _GNU_SOURCE /* fseeko */
#include "core/internal.h"
#include "core/error.h"
#include "core/io/npz_internal.h"
#include "core/memory.h"

#include <string.h>

enum { END = 22, LOCATOR = 20, END64 = 56, TAIL = 65535 + END + LOCATOR, DIRECTORY_MOST = 1 << 16 };

static uint64_t little(const unsigned char *p, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | p[i];
    return value;
}

static int read_at(FILE *file, int64_t offset, void *out, size_t n)
{
    return fseeko(file, (off_t)offset, SEEK_SET) == 0 && fread(out, 1, n, file) == n;
}

static ag_status check_sizes(uint64_t entries, uint64_t bytes, const char *path, ag_failure *why)
{
    if (entries <= AG__NPZ_ENTRIES && bytes <= DIRECTORY_MOST) return AG_OK;
    return ag_fail(
        why, AG_EDATA,
        "%s: the zip directory claims %llu entries in %llu bytes, but at most %d entries in "
        "%d bytes are read",
        path, (unsigned long long)entries, (unsigned long long)bytes, AG__NPZ_ENTRIES,
        DIRECTORY_MOST);
}

static int has_locator(const unsigned char *tail, int64_t at)
{
    return at >= LOCATOR && !memcmp(tail + at - LOCATOR, "PK\6\7", 4);
}

/* An end record before the last one: bytes of compressed data may look like one, but not like a
 * consistent one. */
static int another_end(const unsigned char *tail, int64_t n, int64_t start)
{
    for (int64_t i = 0; i + END < n; i++) {
        const unsigned char *p = tail + i;
        if (p[0] != 'P' || memcmp(p, "PK\5\6", 4)) continue;
        if (has_locator(tail, i)) return 1;
        if (little(p + 12, 4) + little(p + 16, 4) == (uint64_t)(start + i)) return 1;
    }
    return 0;
}

static ag_status check_tail(const unsigned char *tail, int64_t n, int64_t bytes, FILE *file,
                            const char *path, ag_failure *why)
{
    const unsigned char *end = tail + n - END;
    unsigned char end64[END64];
    if (memcmp(end, "PK\5\6", 4))
        return ag_fail(
            why, AG_EDATA,
            "%s is not a zip file, or its end is missing (no end record in its last 22 bytes); "
            "copy or download it again",
            path);
    if (another_end(tail, n, bytes - n))
        return ag_fail(why, AG_EDATA, "%s holds several zip end records; write the file again",
                       path);
    if (!has_locator(tail, n - END))
        return check_sizes(little(end + 10, 2), little(end + 12, 4), path, why);
    uint64_t at = little(end - LOCATOR + 8, 8);
    if (at > (uint64_t)bytes || !read_at(file, (int64_t)at, end64, END64))
        return ag_fail(why, AG_EDATA,
                       "%s: its zip64 end record is said to lie at byte %llu of %lld", path,
                       (unsigned long long)at, (long long)bytes);
    return check_sizes(little(end64 + 32, 8), little(end64 + 40, 8), path, why);
}

ag_status ag__npz_check_end(FILE *file, int64_t bytes, const char *path, ag_failure *why)
{
    path = ag_path_tail(path);
    int64_t n = bytes < TAIL ? bytes : TAIL;
    if (n < END)
        return ag_fail(why, AG_EDATA,
                       "%s is not a zip file: it has %lld bytes, but 22 are the least", path,
                       (long long)bytes);
    unsigned char *tail = ag_alloc((size_t)n);
    if (!tail) return ag_fail(why, AG_EMEMORY, "no memory to open %s", path);
    ag_status status = AG_OK;
    if (read_at(file, bytes - n, tail, (size_t)n))
        status = check_tail(tail, n, bytes, file, path, why);
    else
        status = ag_fail(why, AG_EFILE, "cannot read the end of %s", path);
    ag_free(tail);
    return status;
}
