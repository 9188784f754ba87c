/* SPDX-License-Identifier: MIT */
/* Orders, folds, splits and chunks: pure functions of a seed and a number. */
#include "examples/tgraph/data_parts.h"

#include <string.h>

#include "examples/tgraph/data_random.h"

static void shuffled(int32_t *order, int count, ag_random random)
{
    for (int i = 0; i < count; i++) order[i] = i;
    ag_random_shuffle(&random, order, count);
}

void tgraph_permutation(int32_t *order, int count, uint64_t seed, uint64_t index)
{
    shuffled(order, count, tgraph_random(TGRAPH_RANDOM_PERMUTATION, seed, index));
}

void tgraph_epoch_order(int32_t *order, int files, uint64_t seed, int64_t epoch)
{
    shuffled(order, files, tgraph_random(TGRAPH_RANDOM_EPOCH, seed, (uint64_t)epoch));
}

ag_status tgraph_folds(int32_t *fold, int count, int folds, uint64_t seed, ag_failure *why)
{
    if (folds < 2 || folds > count)
        return ag_fail(why, AG_EUSE, "folds: %d files cannot be cut into %d folds; choose 2 to %d",
                       count, folds, count);
    size_t bytes = (size_t)count * sizeof(int32_t);
    int32_t *order = ag__alloc(bytes);
    if (!order) return tgraph_no_memory("folds", bytes, why);
    shuffled(order, count, tgraph_random(TGRAPH_RANDOM_FOLD, seed, 0));
    for (int k = 0; k < folds; k++) {
        int first, length;
        tgraph_chunk(&first, &length, count, folds, k);
        for (int i = first; i < first + length; i++) fold[order[i]] = k;
    }
    ag__free(order);
    return AG_OK;
}

int tgraph_chunks(int count, int most)
{
    return count < 1 || most < 1 ? 0 : (count - 1) / most + 1;
}

void tgraph_chunk(int *first, int *length, int count, int chunks, int index)
{
    int base = count / chunks, longer = count % chunks;
    *first = index * base + (index < longer ? index : longer);
    *length = base + (index < longer);
}

int tgraph_draw(int32_t *items, int count, int most, ag_random *random)
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

/* For the usual batch, which must not allocate: longer ones go to the radix sort. */
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

ag_status tgraph_ranks(int32_t *rank, const int64_t *runtime, int count, uint64_t *key,
                       int32_t *index, ag_failure *why)
{
    int32_t dense = 0;
    for (int i = 0; i < count; i++) {
        key[i] = (uint64_t)runtime[i];
        index[i] = i;
    }
    if (count <= INSERTION)
        insertion_sort(key, index, count);
    else if (ag_sort_u64(key, index, count, why))
        return why->status;
    for (int i = 0; i < count; i++) {
        dense += i && key[i] != key[i - 1];
        rank[index[i]] = dense;
    }
    return AG_OK;
}

/* The configurations whose mark is `part`, ascending. */
static int32_t *list_part(const int32_t *mark, int configs, int part, int count, ag_failure *why)
{
    int32_t *list = ag__alloc((size_t)count * sizeof *list);
    int n = 0;
    if (!list) tgraph_no_memory("split", (size_t)count * sizeof *list, why);
    for (int c = 0; list && c < configs; c++)
        if (mark[c] == part) list[n++] = c;
    return list;
}

ag_status tgraph_file_split(tgraph_file *f, double fraction, uint64_t seed, ag_failure *why)
{
    double wanted = fraction * f->configs + 0.5;
    if (!(fraction > 0 && fraction < 1) || wanted < 1 || wanted >= f->configs)
        return ag_fail(why, AG_EUSE,
                       "%s: a split of %g leaves a part of its %d configurations empty; choose a "
                       "fraction between "
                       "0 and 1 that leaves at least one on each side",
                       tgraph_short(f->path), fraction, f->configs);
    size_t bytes = (size_t)f->configs * sizeof(int32_t);
    int train = (int)wanted;
    int32_t *order = ag__alloc(bytes), *mark = ag__alloc(bytes);
    if (!order || !mark) {
        tgraph_no_memory(tgraph_short(f->path), bytes, why);
    } else {
        ag__free(f->train);
        ag__free(f->held);
        f->held = NULL;
        shuffled(order, f->configs, tgraph_random(TGRAPH_RANDOM_SPLIT, seed, 0));
        for (int i = 0; i < f->configs; i++) mark[order[i]] = i < train;
        f->train = list_part(mark, f->configs, 1, train, why);
        if (f->train) f->held = list_part(mark, f->configs, 0, f->configs - train, why);
        f->train_count = f->train ? train : 0;
        f->held_count = f->held ? f->configs - train : 0;
    }
    ag__free(order);
    ag__free(mark);
    return why->status;
}
