/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/data/vectors.h"

#include "examples/harness/harness.h"
#include "examples/tpgnn/data/data_internal.h"

#include <string.h>

enum { LONGEST = 63, SHOWN = 8 };

/* The arrays of a file. */
typedef struct table {
    tpugraphs_raw raw;
    char *text;    /* the classes, a line for each */
    float *vector; /* [rows,18] */
    int64_t bytes, rows;
} table;

static ag_status read_table(table *t, ag_failure *why)
{
    const ag_array_info *classes =
        tpugraphs_member(&t->raw, "classes", AG_SHAPE(-1), "text, a line per class of node", why);
    const ag_array_info *vectors =
        classes ? tpugraphs_member(&t->raw, "vectors", AG_SHAPE(-1, TPGNN_VECTOR),
                                   "18 numbers per class", why)
                : NULL;
    if (!vectors) return why->status;
    t->bytes = classes->count;
    t->rows = vectors->size[0];
    t->text = tpugraphs_raw_read(&t->raw, "classes", AG_U8, t->bytes, why);
    if (t->text) t->vector = tpugraphs_raw_read(&t->raw, "vectors", AG_F32, vectors->count, why);
    return t->vector ? tpgnn_check_finite(&t->raw, "vectors", t->vector, vectors->count, why)
                     : why->status;
}

/* The words ascend, so none comes twice. */
static ag_status check_word(const table *t, int64_t row, const char *word, const char *before,
                            ag_failure *why)
{
    if (*word && (!row || strcmp(before, word) < 0)) return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "%s: line %lld of classes, counted from 0, must be a word of at most %d letters "
                   "that comes after the one before it in the alphabet",
                   t->raw.name, (long long)row, LONGEST);
}

/* Copies what the vocabulary has; known [words]: 1 for each of them. */
static ag_status take(ag_real *vector, bool *known, const tpgnn_vocabulary *v, const table *t,
                      ag_failure *why)
{
    char word[2][LONGEST + 1] = {"", ""};
    int64_t row = 0, from = 0;
    for (int64_t i = 0; i <= t->bytes && !why->status; i++) {
        if (i < t->bytes && t->text[i] != '\n') continue;
        char *now = word[row % 2];
        snprintf(now, sizeof *word, "%.*s", i - from > LONGEST ? 0 : (int)(i - from),
                 t->text + from);
        if (row == t->rows || check_word(t, row, now, word[1 - row % 2], why)) break;
        const int class = tpgnn_vocabulary_find(v, TPGNN_CLASS, now);
        for (int k = 0; class && k < TPGNN_VECTOR; k++)
            vector[class * TPGNN_VECTOR + k] = (ag_real)t->vector[row * TPGNN_VECTOR + k];
        known[class] = true;
        from = i + 1;
        row++;
    }
    if (why->status || (row == t->rows && from == t->bytes + 1)) return why->status;
    return ag_fail(why, AG_EDATA,
                   "%s: vectors has %lld rows, but classes has another number of lines",
                   t->raw.name, (long long)t->rows);
}

static void warn_lacking(const bool *known, const tpgnn_vocabulary *v, const char *name)
{
    const int words = v->words[TPGNN_CLASS];
    int lacking = 0;
    char *list = harness_copy("");
    for (int i = 1; i < words; i++) {
        if (known[i] || lacking++ >= SHOWN) continue;
        char *longer =
            harness_text("%s%s%s", list, lacking > 1 ? ", " : "", v->word[TPGNN_CLASS][i]);
        harness_free(list);
        list = longer;
    }
    if (lacking)
        harness_warn("%s: %d of %d classes of nodes have no vector and get zeros (%s%s); "
                     "examples/tpgnn/tvm/collect/vectors.py makes vectors of your files",
                     name, lacking, words - 1, list, lacking > SHOWN ? ", ..." : "");
    harness_free(list);
}

ag_status tpgnn_vectors_read(ag_real *vector, const tpgnn_vocabulary *v, const char *path,
                             ag_failure *why)
{
    const tpugraphs_budget budget = {0};
    const int words = v->words[TPGNN_CLASS];
    table t = {
        .raw = {.name = path ? harness_files_short(path) : "built-in vectors", .budget = &budget}};
    bool *known = harness_alloc((size_t)words * sizeof *known);
    for (int i = 0; i < words * TPGNN_VECTOR; i++) vector[i] = 0;
    t.raw.npz = path ? ag_npz_open(path, SIZE_MAX / 2, why)
                     : ag_npz_open_bytes(tpgnn_vectors_file, tpgnn_vectors_bytes, t.raw.name,
                                         SIZE_MAX / 2, why);
    if (t.raw.npz && !read_table(&t, why) && !take(vector, known, v, &t, why) &&
        !tpugraphs_raw_verify(&t.raw, "classes vectors", why))
        warn_lacking(known, v, t.raw.name);
    ag_free(t.text);
    ag_free(t.vector);
    tpugraphs_raw_close(&t.raw);
    harness_free(known);
    return why->status;
}
