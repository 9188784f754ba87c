/* SPDX-License-Identifier: MIT */
/* Orders, chunks and ranks: pure functions of a seed and a number. */
#include "examples/harness/base/draws.h"

#include <stdlib.h>

void harness_shuffle(int32_t *order, int count, ag_random random)
{
    for (int i = 0; i < count; i++) order[i] = i;
    ag_random_shuffle(&random, order, count);
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

static int by_time(const void *a, const void *b)
{
    const int64_t x = ((const harness_timed *)a)->ns, y = ((const harness_timed *)b)->ns;
    return (x > y) - (x < y);
}

void harness_ranks(int32_t *rank, const int64_t *runtime, int count, harness_timed *order)
{
    int32_t dense = 0;
    for (int i = 0; i < count; i++) order[i] = (harness_timed){runtime[i], i};
    qsort(order, (size_t)count, sizeof *order, by_time);
    for (int i = 0; i < count; i++) {
        dense += i && order[i].ns != order[i - 1].ns;
        rank[order[i].item] = dense;
    }
}

void harness_group_ranks(int32_t *rank, const int64_t *runtime, const int32_t *start, int groups,
                         harness_timed *order)
{
    for (int g = 0; g < groups; g++)
        harness_ranks(rank + start[g], runtime + start[g], start[g + 1] - start[g], order);
}
