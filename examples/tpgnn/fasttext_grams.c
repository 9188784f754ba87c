/* SPDX-License-Identifier: MIT */
/* The n-grams of a word, and vectors made of theirs. */
#include "examples/harness/bag.h"
#include "examples/tpgnn/fasttext_parts.h"

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

int tpgnn__gram_find(const int64_t *bucket, int n, int64_t wanted)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (bucket[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && bucket[low] == wanted ? low : -1;
}

int tpgnn_fasttext_find(const tpgnn_fasttext *f, const char *name)
{
    for (int i = 0; i < f->words; i++)
        if (f->name[i] && strcmp(f->name[i], name) == 0) return i;
    return -1;
}

int tpgnn__unknown(float *out, const tpgnn_fasttext *f, const char *name)
{
    const size_t size = (size_t)f->size;
    int found = 0;
    int64_t *grams = tpgnn__grams(name, f->min_n, f->max_n, f->buckets);
    memset(out, 0, size * sizeof *out);
    for (int i = 0; i < bag_count(grams); i++) {
        const int row = tpgnn__gram_find(f->bucket, f->grams, grams[i]);
        if (row < 0) continue;
        for (size_t k = 0; k < size; k++) out[k] += f->gram[(size_t)row * size + k];
        found++;
    }
    for (size_t k = 0; found && k < size; k++) out[k] /= (float)found;
    bag_free(grams);
    return found;
}

int tpgnn_fasttext_vector(float *out, const tpgnn_fasttext *f, const char *name)
{
    const int known = tpgnn_fasttext_find(f, name);
    const size_t size = (size_t)f->size;
    if (known < 0) return tpgnn__unknown(out, f, name);
    memcpy(out, f->vector + (size_t)known * size, size * sizeof *out);
    return -1;
}

void tpgnn_fasttext_free(tpgnn_fasttext *f)
{
    if (!f) return;
    for (int i = 0; f->name && i < f->words; i++) harness_free(f->name[i]);
    harness_free(f->name);
    harness_free(f->vector);
    harness_free(f->bucket);
    harness_free(f->gram);
    harness_free(f);
}
