/* SPDX-License-Identifier: MIT */
/* Reads vectors of words from a file, or those that are built in. */
#include "examples/tpgnn/data/vocabulary.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/tpugraphs/tpugraphs.h"

#include <string.h>

enum { LONGEST = 63, SHOWN = 8 };

/* Copies the vectors of the classes, a line each, that the vocabulary has; known [words]: true for
   these. */
static ag_status take(ag_real *vector, bool *known, const tpgnn_vocabulary *v, char *word,
                      const float *from, int64_t rows, const char *name, ag_failure *why)
{
    const char *before = "";
    for (int64_t row = 0; row < rows && word; row++) {
        char *next = strchr(word, '\n');
        if (next) *next++ = 0;
        if (!*word || strlen(word) > LONGEST || strcmp(before, word) >= 0)
            return ag_fail(why, AG_EDATA,
                           "%s: line %lld of classes, counted from 0, must be a word of at most %d "
                           "letters that comes after the one before it in the alphabet",
                           name, (long long)row, LONGEST);
        const int class = tpgnn_vocabulary_find(v, TPGNN_CLASS, word);
        for (int k = 0; class && k < TPGNN_VECTOR; k++)
            vector[class * TPGNN_VECTOR + k] = (ag_real)from[row * TPGNN_VECTOR + k];
        known[class] = true;
        before = word;
        word = next;
        if (!next && row + 1 == rows) return AG_OK;
    }
    return ag_fail(why, AG_EDATA,
                   "%s: vectors has %lld rows, but classes has another number of lines", name,
                   (long long)rows);
}

static ag_status read_all(ag_real *vector, bool *known, const tpgnn_vocabulary *v,
                          const tpugraphs_raw *raw, ag_failure *why)
{
    const ag_array_info *classes =
        tpugraphs_member(raw, "classes", AG_SHAPE(-1), "text, a line per class of node", why);
    const ag_array_info *vectors =
        classes ? tpugraphs_member(raw, "vectors", AG_SHAPE(-1, TPGNN_VECTOR),
                                   "18 numbers per class", why)
                : NULL;
    if (!vectors) return why->status;
    char *text = harness_alloc((size_t)classes->count + 1);
    float *number =
        tpugraphs_alloc(ag_size_mul((size_t)vectors->count, sizeof *number), raw->name, why);
    if (number && !ag_npz_read(raw->npz, "classes", AG_U8, text, why) &&
        !tpugraphs_raw_finite(raw, "vectors", number, (size_t)vectors->size[0], TPGNN_VECTOR, why))
        take(vector, known, v, text, number, vectors->size[0], raw->name, why);
    harness_free(text);
    ag_free(number);
    return why->status;
}

static void warn_lacking(const bool *known, const tpgnn_vocabulary *v, const char *name)
{
    const int words = v->words[TPGNN_CLASS];
    int lacking = 0;
    const char *list = "";
    for (int i = 1; i < words; i++) {
        if (known[i] || lacking++ >= SHOWN) continue;
        list = harness_format("%s%s%s", list, lacking > 1 ? ", " : "", v->word[TPGNN_CLASS][i]);
    }
    if (lacking)
        harness_warn("%s: %d of %d classes of nodes have no vector and get zeros (%s%s); "
                     "examples/tvm/collect/vectors.py makes vectors of your files",
                     name, lacking, words - 1, list, lacking > SHOWN ? ", ..." : "");
}

ag_status tpgnn_vectors_read(ag_real *vector, const tpgnn_vocabulary *v, const char *path,
                             ag_failure *why)
{
    const int words = v->words[TPGNN_CLASS];
    tpugraphs_raw raw = {.name = path ? harness_files_short(path) : "built-in vectors"};
    bool *known = HARNESS_NEW(known, words);
    for (int i = 0; i < words * TPGNN_VECTOR; i++) vector[i] = 0;
    raw.npz = path ? ag_npz_open(path, SIZE_MAX / 2, why)
                   : ag_npz_open_bytes(tpgnn_vectors_file, tpgnn_vectors_bytes, raw.name,
                                       SIZE_MAX / 2, why);
    if (raw.npz && !read_all(vector, known, v, &raw, why) &&
        !tpugraphs_raw_verify(&raw, "classes vectors", why))
        warn_lacking(known, v, raw.name);
    tpugraphs_raw_close(&raw);
    harness_free(known);
    return why->status;
}
