/* SPDX-License-Identifier: MIT */
/* Packed configurations: base 7, six values -1..5 in one word, so that the layouts of a node take
   12 bytes instead of 72; and their store. */
#define _GNU_SOURCE
#include "examples/tgraph/data/data_internal.h"
#include "core/error.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PER_WORD = TGRAPH_DIGITS / TGRAPH_WORDS };

int tgraph_pack(uint32_t word[TGRAPH_WORDS], const float value[TGRAPH_DIGITS])
{
    for (int w = 0; w < TGRAPH_WORDS; w++) {
        uint32_t sum = 0, power = 1;
        for (int k = 0; k < PER_WORD; k++, power *= 7) {
            float v = value[w * PER_WORD + k];
            if (!(v >= -1 && v <= 5)) return w * PER_WORD + k; /* also refuses NaN */
            int digit = (int)(v + 1);
            if ((float)(digit - 1) != v) return w * PER_WORD + k;
            sum += (uint32_t)digit * power;
        }
        word[w] = sum;
    }
    return -1;
}

void tgraph_unpack(int32_t row[TGRAPH_DIGITS], const uint32_t word[TGRAPH_WORDS])
{
    for (int w = 0; w < TGRAPH_WORDS; w++) {
        uint32_t rest = word[w];
        for (int k = 0; k < PER_WORD; k++, rest /= 7)
            row[w * PER_WORD + k] = (int32_t)(rest % 7) + 1;
    }
}

/* A file without a name in $TMPDIR (or /tmp), or -1. */
static int unnamed_file(const char **folder)
{
    char path[4096];
    *folder = getenv("TMPDIR");
    if (!*folder || !**folder) *folder = "/tmp";
    errno = ENAMETOOLONG;
    if (snprintf(path, sizeof path, "%s/tgraph-XXXXXX", *folder) >= (int)sizeof path) return -1;
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd;
}

/* Takes all blocks, since a disk that is full later would be a signal. What the file system cannot
   reserve is written. Returns an errno or 0. */
static int reserve(int fd, size_t bytes)
{
    static const char zeros[1 << 16];
    if (bytes > INT64_MAX) return EFBIG;
    const int error = posix_fallocate(fd, 0, (off_t)bytes);
    if (error != EOPNOTSUPP && error != EINVAL && error != ENOSYS && error != ENODEV) return error;
    for (size_t at = 0; at < bytes;) {
        const size_t left = bytes - at;
        const ssize_t n = pwrite(fd, zeros, left < sizeof zeros ? left : sizeof zeros, (off_t)at);
        if (n < 0) return errno;
        at += (size_t)n;
    }
    return 0;
}

static ag_status map_store(tgraph_store *store, size_t bytes, const char *name, ag_failure *why)
{
    const char *folder;
    int fd = unnamed_file(&folder);
    int error = fd < 0 ? errno : reserve(fd, bytes);
    void *map = MAP_FAILED;
    if (!error) {
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED) error = errno;
    }
    if (fd >= 0) close(fd);
    if (error)
        return ag_fail(
            why, AG_EFILE,
            "%s: its packed configurations take %zu bytes, more than --ram-limit leaves, and a "
            "temporary file of that size in %s failed: %s; set TMPDIR to another folder, with room",
            name, bytes, harness_files_short(folder), strerror(error));
    store->word = map;
    store->mapped = bytes;
    return AG_OK;
}

ag_status tgraph_store_open(tgraph_store *store, int64_t capacity, int64_t width,
                            tpugraphs_budget *budget, const char *name, ag_failure *why)
{
    size_t bytes = ag_size_mul(ag_size_mul((size_t)capacity, (size_t)width), sizeof *store->word);
    memset(store, 0, sizeof *store);
    store->capacity = capacity;
    store->width = width;
    if (tpugraphs_exceeds(budget, bytes)) return map_store(store, bytes, name, why);
    store->word = ag_alloc(bytes); /* rows that are never written take no physical memory */
    if (!store->word) return harness_files_no_memory(name, bytes, why);
    if (budget) budget->used += bytes;
    return AG_OK;
}

void tgraph_store_put(tgraph_store *store, const uint32_t *row)
{
    memcpy(store->word + store->rows++ * store->width, row, (size_t)store->width * sizeof *row);
}

void tgraph_store_trim(tgraph_store *store, tpugraphs_budget *budget)
{
    size_t row = (size_t)store->width * sizeof *store->word;
    size_t spare = (size_t)(store->capacity - store->rows) * row;
    if (store->mapped || !spare) return;
    uint32_t *smaller = ag_grow(store->word, (size_t)store->rows * row);
    if (!smaller) return; /* the larger block still serves */
    store->word = smaller;
    store->capacity = store->rows;
    if (budget) budget->used -= spare;
}

void tgraph_store_close(tgraph_store *store, tpugraphs_budget *budget)
{
    size_t bytes = (size_t)store->capacity * (size_t)store->width * sizeof *store->word;
    if (!store->word) return;
    if (store->mapped)
        munmap(store->word, store->mapped);
    else {
        ag_free(store->word);
        if (budget) budget->used -= bytes;
    }
    store->word = NULL;
}
