/* SPDX-License-Identifier: MIT */
/* Orders, chunks and ranks: pure functions of a seed and a number. */
#include "examples/harness/base/base.h"
#include "core/sort.h"
#include "examples/harness/base/draws.h"

void harness_shuffle(int32_t *order, int count, ag_random random)
{
    for (int i = 0; i < count; i++) order[i] = i;
    ag_random_shuffle(&random, order, count);
}

void harness_permutation(int32_t *order, int count, uint64_t seed, uint64_t index)
{
    harness_shuffle(order, count, harness_stream(HARNESS_STREAM_PERMUTATION, seed, index));
}

void harness_epoch_order(int32_t *order, int files, uint64_t seed, int64_t epoch)
{
    harness_shuffle(order, files, harness_stream(HARNESS_STREAM_EPOCH, seed, (uint64_t)epoch));
}

int harness_chunks(int count, int most)
{
    return count < 1 || most < 1 ? 0 : (count - 1) / most + 1;
}

void harness_chunk(int *first, int *length, int count, int chunks, int index)
{
    int base = count / chunks, longer = count % chunks;
    *first = index * base + (index < longer ? index : longer);
    *length = base + (index < longer);
}

int harness_draw(int32_t *items, int count, int most, ag_random *random)
{
    int n = most < count ? most : count;
    for (int i = 0; i < n; i++) {
        int j = i + (int)ag_random_below(random, (uint32_t)(count - i));
        int32_t item = items[j];
        items[j] = items[i];
        items[i] = item;
    }
    return n;
}

enum { INSERTION = 512 };

/* For batches of the usual size; longer ones use the radix sort. */
static void insertion_sort(uint64_t *key, int32_t *index, int count)
{
    for (int i = 1; i < count; i++) {
        uint64_t k = key[i];
        int32_t v = index[i];
        int at = i;
        for (; at > 0 && key[at - 1] > k; at--) {
            key[at] = key[at - 1];
            index[at] = index[at - 1];
        }
        key[at] = k;
        index[at] = v;
    }
}

void harness_ranks(int32_t *rank, const int64_t *runtime, int count)
{
    uint64_t *key = HARNESS_NEW(key, count);
    int32_t *index = HARNESS_NEW(index, count), dense = 0;
    ag_failure why = {0};
    for (int i = 0; i < count; i++) {
        key[i] = (uint64_t)runtime[i];
        index[i] = i;
    }
    if (count <= INSERTION)
        insertion_sort(key, index, count);
    else if (ag_sort_u64(key, index, count, &why))
        harness_no_memory((size_t)count * sizeof *key);
    for (int i = 0; i < count; i++) {
        dense += i && key[i] != key[i - 1];
        rank[index[i]] = dense;
    }
    harness_free(key);
    harness_free(index);
}

void harness_group_ranks(int32_t *rank, const int64_t *runtime, const int32_t *start, int groups)
{
    for (int g = 0; g < groups; g++)
        harness_ranks(rank + start[g], runtime + start[g], start[g + 1] - start[g]);
}
