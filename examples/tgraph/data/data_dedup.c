/* SPDX-License-Identifier: MIT */
/* Equal configurations: a hash table over the rows of a packed store, with exact comparison. */
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data_internal.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void tgraph_unique_open(tgraph_unique *unique, int64_t capacity)
{
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)capacity) slots *= 2; /* at most half full */
    unique->mask = slots - 1;
    unique->slot = harness_alloc(ag_size_mul((size_t)slots, sizeof *unique->slot));
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
    harness_free(unique->slot);
    unique->slot = NULL;
}
