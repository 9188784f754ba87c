/* SPDX-License-Identifier: MIT */
#include "core/sort.h"
#include "core/error.h"
#include "core/internal.h"
#include "core/memory.h"

#include <string.h>

enum { DIGITS = 8, BUCKETS = 256 };

/* Moves keys (and values) to their place by one digit; start[b] is where bucket b begins. */
static void scatter(uint64_t *to_keys, int32_t *to_values, const uint64_t *keys,
                    const int32_t *values, int64_t n, int shift, int64_t *start)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = start[keys[i] >> shift & (BUCKETS - 1)]++;
        to_keys[at] = keys[i];
        if (values) to_values[at] = values[i];
    }
}

static void count_digits(int64_t counts[DIGITS][BUCKETS], const uint64_t *keys, int64_t n)
{
    memset(counts, 0, sizeof(int64_t[DIGITS][BUCKETS]));
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++) counts[d][keys[i] >> 8 * d & (BUCKETS - 1)]++;
}

/* Radix sort from the lowest byte; a byte that all keys share needs no pass. */
ag_status ag_sort_u64(uint64_t *keys, int32_t *values, int64_t n, ag_failure *why)
{
    if (n < 0) return ag_fail(why, AG_EUSE, "sort: n is %lld, but must be 0 or more", (long long)n);
    if (n && !keys) return ag__refuse_null(why, "ag_sort_u64", "keys");
    if (n < 2) return AG_OK;
    size_t size = (size_t)n;
    uint64_t *other_keys =
        ag_alloc(ag_size_add(ag_size_mul(size, sizeof *keys), sizeof(int64_t[DIGITS][BUCKETS])));
    int32_t *other_values = values ? ag_alloc(ag_size_mul(size, sizeof *values)) : NULL;
    if (!other_keys || (values && !other_values)) {
        ag_free(other_keys);
        ag_free(other_values);
        return ag_fail(why, AG_EMEMORY, "sort: no memory for a second copy of %lld keys",
                       (long long)n);
    }
    uint64_t *from = keys, *to = other_keys;
    int32_t *from_values = values, *to_values = other_values;
    int64_t(*counts)[BUCKETS] = (int64_t(*)[BUCKETS])(void *)(other_keys + n);
    count_digits(counts, keys, n);
    for (int d = 0; d < DIGITS; d++) {
        if (counts[d][keys[0] >> 8 * d & (BUCKETS - 1)] == n) continue;
        int64_t start = 0;
        for (int b = 0; b < BUCKETS; b++) {
            int64_t count = counts[d][b];
            counts[d][b] = start;
            start += count;
        }
        scatter(to, to_values, from, from_values, n, 8 * d, counts[d]);
        uint64_t *swap = from;
        from = to;
        to = swap;
        int32_t *swap_values = from_values;
        from_values = to_values;
        to_values = swap_values;
    }
    if (from != keys) {
        memcpy(keys, from, size * sizeof *keys);
        if (values) memcpy(values, from_values, size * sizeof *values);
    }
    ag_free(other_keys);
    ag_free(other_values);
    return AG_OK;
}
