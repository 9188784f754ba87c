/* SPDX-License-Identifier: MIT */
/* Any bytes as an npz file of measured schedules. Bit 2 of the first byte: the file's checksums
   stay as they are, else they are corrected, so that damage inside gets further. Schedules that are
   read become a batch. */
#define _GNU_SOURCE /* memfd_create */
#include "core/memory.h"
#include "examples/tpgnn/model/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LIMIT = 1 << 26 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* ---- checksums of a zip ---- */

static uint32_t get(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    while (bytes-- > 0) value = value << 8 | at[bytes];
    return value;
}

static void put(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t checksum(const uint8_t *bytes, size_t n)
{
    uint32_t crc = ~0U;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
    }
    return ~crc;
}

/* Of the members that are stored as they are, found by their entries in the directory. */
static void mend(uint8_t *zip, size_t n)
{
    for (size_t i = 0; i + 46 <= n; i++) {
        if (memcmp(zip + i, "PK\1\2", 4) || get(zip + i + 10, 2)) continue;
        const size_t at = get(zip + i + 42, 4), size = get(zip + i + 20, 4);
        if (at + 30 > n || memcmp(zip + at, "PK\3\4", 4)) continue;
        const size_t from = at + 30 + get(zip + at + 26, 2) + get(zip + at + 28, 2);
        if (from > n || size > n - from) continue;
        const uint32_t crc = checksum(zip + from, size);
        put(zip + i + 16, crc);
        put(zip + at + 14, crc);
    }
}

/* ---- reading ---- */

static void read_file(tpgnn_data *data, uint8_t *bytes, size_t n, int mended, ag_failure *why)
{
    char path[64];
    harness_files paths = {0};
    const int fd = memfd_create("fuzz", 0);
    if (mended) mend(bytes, n);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!harness_files_add(&paths, path, why)) tpgnn_data_add(data, &paths, why);
    harness_files_free(&paths);
    close(fd);
}

/* ---- results ---- */

static void check_schedule(const tpgnn_data *data, const tpgnn_schedule *s)
{
    if (s->nodes < 1 || s->parent[0] != -1 || s->runtime < 1) abort();
    for (int v = 0; v < s->nodes; v++) {
        if (s->kind[v] >= data->kinds || !isfinite(s->value[v])) abort();
        if (s->refers[v] < -1 || s->refers[v] >= v + !v) abort();
        if (v && (s->parent[v] < 0 || s->parent[v] >= v)) abort();
        if (v && s->depth[v] != s->depth[s->parent[v]] + 1) abort();
    }
    float *x = calloc((size_t)s->nodes * TPGNN_NEST, sizeof *x);
    ag_arena *memory = NULL;
    tpgnn_nest(x, data, s, &memory);
    ag_arena_free(memory);
    for (int i = 0; i < s->nodes * TPGNN_NEST; i++)
        if (!(x[i] >= -2 && x[i] <= 8)) abort();
    free(x);
}

static void check_batch(const tpgnn_data *data, int compact)
{
    tpgnn_batch batch = {0};
    ag_failure why = {0};
    const tpgnn_batch_options o = {.edges = TPGNN_BOTH,
                                   .both = !compact,
                                   .compact = compact,
                                   .nest = compact,
                                   .logs = compact};
    const tpgnn_schedule **list = calloc((size_t)data->schedules, sizeof *list);
    for (int i = 0; i < data->schedules; i++) list[i] = &data->schedule[i];
    if (tpgnn_batch_fill(&batch, data, list, data->schedules, &o, &why)) abort();
    if (batch.stores < batch.graphs || batch.nodes < batch.graphs) abort();
    for (int i = 0; i < batch.nodes * TPGNN_NUMBERS; i++)
        if (!isfinite((double)batch.number[i])) abort();
    for (int i = 0; i < batch.stores; i++)
        if (batch.store[i] < batch.start[batch.program[i]] ||
            batch.store[i] >= batch.start[batch.program[i] + 1])
            abort();
    tpgnn_batch_free(&batch);
    free((void *)list);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n < 2) return 0;
    uint8_t *copy = malloc(n - 1);
    ag_failure why = {0};
    tpgnn_data data = {.budget.limit = LIMIT};
    memcpy(copy, bytes + 1, n - 1);
    read_file(&data, copy, n - 1, !(bytes[0] & 2), &why);
    if ((why.status == AG_OK) != (why.sentence[0] == 0) || (why.status && data.schedules)) abort();
    for (int i = 0; i < data.schedules; i++) check_schedule(&data, &data.schedule[i]);
    for (int compact = 0; compact < 2 && data.schedules; compact++) check_batch(&data, compact);
    tpgnn_data_free(&data);
    if (data.budget.used) abort();
    free(copy);
    return 0;
}
