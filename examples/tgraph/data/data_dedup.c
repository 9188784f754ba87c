/* SPDX-License-Identifier: MIT */
/* Equal configurations: a hash table over the rows of a packed store, with exact comparison. */
#include "examples/tgraph/data/data_internal.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

ag_status tgraph_unique_open(tgraph_unique *unique, int64_t capacity, ag_failure *why)
{
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)capacity) slots *= 2; /* at most half full */
    size_t bytes = ag_size_mul((size_t)slots, sizeof *unique->slot);
    unique->mask = slots - 1;
    unique->slot = ag_alloc(bytes);
    if (!unique->slot) return harness_files_no_memory("de-duplication", bytes, why);
    memset(unique->slot, 0, bytes);
    return AG_OK;
}

int64_t tgraph_unique_add(tgraph_unique *unique, const tgraph_store *store, const uint32_t *row)
{
    const uint64_t low = UINT32_MAX;
    size_t bytes = (size_t)store->width * sizeof *row;
    uint64_t hash = XXH3_64bits(row, bytes), at = hash & unique->mask;
    for (; unique->slot[at]; at = (at + 1) & unique->mask) {
        if ((unique->slot[at] ^ hash) & ~low) continue;
        int64_t known = (int64_t)(unique->slot[at] & low) - 1;
        if (!memcmp(store->word + known * store->width, row, bytes)) return known;
    }
    unique->slot[at] = (hash & ~low) | (uint64_t)(store->rows + 1);
    return -1;
}

void tgraph_unique_close(tgraph_unique *unique)
{
    ag_free(unique->slot);
    unique->slot = NULL;
}
