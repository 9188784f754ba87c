/* SPDX-License-Identifier: MIT */
/* The n-grams of words, and their rows. */
#include "examples/harness/run/bag.h"
#include "examples/tpgnn/fasttext/parts.h"

#include <stdlib.h>
#include <string.h>

uint32_t tpgnn__hash(const char *text, size_t bytes)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < bytes; i++) h = (h ^ (uint32_t)(int32_t)(int8_t)text[i]) * 16777619u;
    return h;
}

static int inside_letter(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

int64_t *tpgnn__grams(const char *name, int min_n, int max_n, int64_t buckets)
{
    int64_t *all = NULL;
    char *word = harness_text("<%s>", name);
    const size_t n = strlen(word);
    for (size_t from = 0; from < n; from++) {
        if (inside_letter(word[from])) continue;
        size_t to = from;
        for (int letters = 1; letters <= max_n && to < n; letters++) {
            do to++;
            while (to < n && inside_letter(word[to]));
            if (letters < min_n || (letters == 1 && (from == 0 || to == n))) continue;
            bag_add(all, (int64_t)tpgnn__hash(word + from, to - from) % buckets);
        }
    }
    harness_free(word);
    return all;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The n-grams of all words with a count: sorted, each once. A bag. */
static int64_t *different(int64_t *const *grams, const int64_t *count, int words)
{
    int64_t *all = NULL;
    int kept = 0;
    for (int w = 0; w < words; w++)
        for (int i = 0; count[w] && i < bag_count(grams[w]); i++) bag_add(all, grams[w][i]);
    if (all) qsort(all, (size_t)bag_count(all), sizeof *all, ascending);
    for (int i = 0; i < bag_count(all); i++)
        if (i == 0 || all[i] != all[i - 1]) all[kept++] = all[i];
    if (all) stbds_arrsetlen(all, kept);
    return all;
}

tpgnn_rows tpgnn__rows(const tpgnn_fasttext_options *o, const char *const *name,
                       const int64_t *count, int words)
{
    tpgnn_rows r = {.first = harness_alloc(((size_t)words + 1) * sizeof *r.first)};
    int64_t **grams = harness_alloc((size_t)words * sizeof *grams);
    for (int w = 0; w < words; w++)
        grams[w] = tpgnn__grams(name[w], o->min_n, o->max_n, o->buckets);
    int64_t *bucket = different(grams, count, words);
    r.grams = bag_count(bucket);
    for (int w = 0; w < words; w++) {
        r.first[w] = bag_count(r.row);
        if (count[w]) bag_add(r.row, w);
        for (int i = 0; i < bag_count(grams[w]); i++) {
            const int64_t *at =
                bucket ? bsearch(&grams[w][i], bucket, (size_t)r.grams, sizeof *bucket, ascending)
                       : NULL;
            if (at) bag_add(r.row, words + (int32_t)(at - bucket));
        }
        bag_free(grams[w]);
    }
    r.first[words] = bag_count(r.row);
    bag_free(bucket);
    harness_free(grams);
    return r;
}

void tpgnn__rows_free(tpgnn_rows *r)
{
    bag_free(r->row);
    harness_free(r->first);
}
