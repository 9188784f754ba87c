/* SPDX-License-Identifier: MIT */
/* The vectors as npz. */
#include "core/save.h"
#include "examples/harness/harness.h"
#include "examples/tpgnn/fasttext_parts.h"

#include <math.h>
#include <string.h>

enum { LIMIT = 1 << 30 };

/* All names, each with the 0 behind it; the caller frees. */
static char *joined(const tpgnn_fasttext *f, int64_t *bytes)
{
    size_t n = 0, at = 0;
    for (int i = 0; i < f->words; i++) n += strlen(f->name[i]) + 1;
    char *all = harness_alloc(n + 1);
    for (int i = 0; i < f->words; i++) {
        const size_t one = strlen(f->name[i]) + 1;
        memcpy(all + at, f->name[i], one);
        at += one;
    }
    *bytes = (int64_t)n;
    return all;
}

ag_status tpgnn_fasttext_save(const tpgnn_fasttext *f, const char *path, ag_failure *why)
{
    int64_t bytes;
    const int64_t size = f->size;
    char *names = joined(f, &bytes);
    ag_npz_writer *w = ag_npz_create(path, why);
    const int bad =
        !w ||
        ag_npz_add(w, "ngram", AG_I64, 1, (int64_t[]){3},
                   (int64_t[]){f->min_n, f->max_n, f->buckets}, why) ||
        ag_npz_add(w, "name", AG_U8, 1, &bytes, names, why) ||
        ag_npz_add(w, "vector", AG_F32, 2, (int64_t[]){f->words, size}, f->vector, why) ||
        ag_npz_add(w, "bucket", AG_I64, 1, (int64_t[]){f->grams}, f->bucket, why) ||
        ag_npz_add(w, "bucket_vector", AG_F32, 2, (int64_t[]){f->grams, size}, f->gram, why);
    harness_free(names);
    if (!bad) return ag_npz_finish(w, why);
    if (w) ag_npz_cancel(w);
    return why->status;
}

/* Sizes of a member of this rank; `most` bounds each. */
static const ag_array_info *member(ag_npz *npz, const char *path, const char *name, int rank,
                                   int64_t most, ag_failure *why)
{
    const ag_array_info *info = ag_npz_find(npz, name);
    if (!info || info->rank != rank || info->size[0] > most || info->size[1] > most) {
        ag_fail(why, AG_EDATA,
                "%s: the array %s is not there or has not %d axes of at most %lld; are these word "
                "vectors?",
                ag__path_tail(path), name, rank, (long long)most);
        return NULL;
    }
    return info;
}

static void *read_member(ag_npz *npz, const ag_array_info *info, ag_dtype as, ag_failure *why)
{
    void *data = harness_alloc(((size_t)info->count + 1) * ag_dtype_bytes(as));
    ag_npz_read(npz, info->name, as, data, why);
    return data;
}

static ag_status check_numbers(const tpgnn_fasttext *f, const char *path, ag_failure *why)
{
    const size_t size = (size_t)f->size;
    if (f->max_n < 0 || f->max_n > 64 || f->min_n < 0 || f->min_n > f->max_n || f->buckets < 1 ||
        f->buckets > INT32_MAX)
        return ag_fail(why, AG_EDATA,
                       "%s: ngram is %d, %d, %lld, but must be 0 to 64, ascending, and 1 to "
                       "2147483647",
                       ag__path_tail(path), f->min_n, f->max_n, (long long)f->buckets);
    for (int i = 0; i < f->grams; i++)
        if (f->bucket[i] < (i ? f->bucket[i - 1] + 1 : 0) || f->bucket[i] >= f->buckets)
            return ag_fail(why, AG_EDATA,
                           "%s: bucket[%d] is %lld, but they must ascend and be below %lld",
                           ag__path_tail(path), i, (long long)f->bucket[i], (long long)f->buckets);
    for (size_t i = 0; i < ((size_t)f->words + (size_t)f->grams) * size; i++) {
        const int word = i < (size_t)f->words * size;
        const float x = word ? f->vector[i] : f->gram[i - (size_t)f->words * size];
        if (!isfinite(x))
            return ag_fail(why, AG_EDATA, "%s: a number of %s is not finite", ag__path_tail(path),
                           word ? "vector" : "bucket_vector");
    }
    return AG_OK;
}

static ag_status read_names(tpgnn_fasttext *f, ag_npz *npz, const char *path, ag_failure *why)
{
    const ag_array_info *info = member(npz, path, "name", 1, LIMIT, why);
    char *all = info ? read_member(npz, info, AG_U8, why) : NULL;
    size_t at = 0;
    f->name = harness_alloc(((size_t)f->words + 1) * sizeof *f->name);
    for (int i = 0; i < f->words && !why->status; i++) { /* one 0 stands behind all */
        const size_t one = strlen(all + at) + 1;
        if (one == 1 || at + one > (size_t)info->count)
            ag_fail(why, AG_EDATA, "%s: word %d of %d has no name", ag__path_tail(path), i,
                    f->words);
        else if (f->name[i] = harness_copy(all + at), tpgnn_fasttext_find(f, f->name[i]) != i)
            ag_fail(why, AG_EDATA, "%s: two words are called %.60s", ag__path_tail(path),
                    f->name[i]);
        at += one;
    }
    harness_free(all);
    return why->status;
}

static void read_all(tpgnn_fasttext *f, ag_npz *npz, const char *path, ag_failure *why)
{
    const ag_array_info *ngram = member(npz, path, "ngram", 1, 3, why);
    const ag_array_info *vector = member(npz, path, "vector", 2, TPGNN_MOST_WORDS, why);
    const ag_array_info *bucket = member(npz, path, "bucket", 1, INT32_MAX, why);
    const ag_array_info *gram = member(npz, path, "bucket_vector", 2, INT32_MAX, why);
    if (why->status) return;
    if (ngram->size[0] != 3 || vector->size[1] < 1 || vector->size[1] > 4096 ||
        vector->size[1] != gram->size[1] || bucket->size[0] != gram->size[0]) {
        ag_fail(why, AG_EDATA,
                "%s: vector [words,size] and bucket_vector [buckets,size] need one size of 1 to "
                "4096, ngram 3 numbers, and bucket one for each row",
                ag__path_tail(path));
        return;
    }
    int64_t *n = read_member(npz, ngram, AG_I64, why);
    f->min_n = n[0] < 0 || n[0] > 64 ? -1 : (int)n[0];
    f->max_n = n[1] < 0 || n[1] > 64 ? -1 : (int)n[1];
    f->buckets = n[2];
    harness_free(n);
    f->words = (int)vector->size[0];
    f->size = (int)vector->size[1];
    f->grams = (int)bucket->size[0];
    f->vector = read_member(npz, vector, AG_F32, why);
    f->bucket = read_member(npz, bucket, AG_I64, why);
    f->gram = read_member(npz, gram, AG_F32, why);
    if (!why->status && !check_numbers(f, path, why)) read_names(f, npz, path, why);
}

tpgnn_fasttext *tpgnn_fasttext_load(const char *path, ag_failure *why)
{
    ag_npz *npz = ag_npz_open(path, LIMIT, why);
    if (!npz) return NULL;
    tpgnn_fasttext *f = harness_alloc(sizeof *f);
    read_all(f, npz, path, why);
    ag_npz_close(npz);
    if (!why->status) return f;
    tpgnn_fasttext_free(f);
    return NULL;
}
