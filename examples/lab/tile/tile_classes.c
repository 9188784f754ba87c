/* SPDX-License-Identifier: MIT */
/* Most steps of a kernel differ only in the places that they read and write. This is a table of the
   distinct ones. */
#include "examples/lab/tile/tile_script.h"

#include <string.h>
#include <xxhash.h>

static int equal(const tile_classes *c, int i, uint64_t hash, const tile_script *s)
{
    return c->hash[i] == hash && c->at[i + 1] - c->at[i] == s->n_words &&
           !memcmp(c->words + c->at[i], s->words, (size_t)s->n_words * sizeof *s->words);
}

static int add(tile_classes *c, uint64_t hash, const tile_script *s)
{
    const int start = c->at[c->n];
    if (c->n == TILE_CLASSES || start > INT_MAX / 8 ||
        !tile_room(&c->words, &c->words_room, start + s->n_words))
        return -1;
    memcpy(c->words + start, s->words, (size_t)s->n_words * sizeof *s->words);
    c->hash[c->n] = hash;
    c->at[++c->n] = start + s->n_words;
    return c->n - 1;
}

int tile_classes_find(tile_classes *c, const tile_script *s)
{
    const uint64_t hash = XXH3_64bits(s->words, (size_t)s->n_words * sizeof *s->words);
    size_t b = hash % TILE_BUCKETS;
    for (; c->bucket[b]; b = (b + 1) % TILE_BUCKETS)
        if (equal(c, c->bucket[b] - 1, hash, s)) return c->bucket[b] - 1;
    const int i = add(c, hash, s);
    if (i >= 0) c->bucket[b] = i + 1;
    return i;
}
