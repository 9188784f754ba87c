/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/data/vocabulary.h"

#include "core/core.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const tpgnn_field_names[TPGNN_FIELDS] = {"type", "class", "loop", "dtype", "scope"};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ag_status no_memory(int words, ag_failure *why)
{
    return ag_fail(why, AG_EMEMORY, "vocabulary: no memory for %d words; close other programs",
                   words);
}

/* Room for `count` words of an empty field. */
static ag_status make_field(tpgnn_vocabulary *v, tpgnn_field field, size_t count, ag_failure *why)
{
    v->words[field] = 0;
    v->word[field] = ag_alloc(count * sizeof *v->word[field]);
    return v->word[field] ? AG_OK : no_memory((int)count, why);
}

/* Appends a copy of a word. */
static ag_status add_word(tpgnn_vocabulary *v, tpgnn_field field, const char *word, ag_failure *why)
{
    const size_t bytes = strlen(word) + 1;
    char *copy = ag_alloc(bytes);
    if (!copy) return no_memory(v->words[field] + 1, why);
    v->word[field][v->words[field]++] = memcpy(copy, word, bytes);
    return AG_OK;
}

ag_status tpgnn_vocabulary_fill(tpgnn_vocabulary *v, tpgnn_field field, const char *const *word,
                                int count, ag_failure *why)
{
    const size_t n = (size_t)count;
    const char **sorted = ag_alloc(n * sizeof *sorted + 1);
    if (!sorted) return no_memory(count, why);
    for (size_t i = 0; i < n; i++) sorted[i] = word[i];
    qsort(sorted, n, sizeof *sorted, by_text);
    if (!make_field(v, field, n + 1, why)) add_word(v, field, "?", why);
    for (size_t i = 0; i < n && !why->status; i++)
        if (!i || strcmp(sorted[i], sorted[i - 1])) add_word(v, field, sorted[i], why);
    ag_free(sorted);
    return why->status;
}

int tpgnn_vocabulary_find(const tpgnn_vocabulary *v, tpgnn_field field, const char *word)
{
    int low = 1, high = v->words[field];
    while (low < high) {
        const int middle = low + (high - low) / 2, order = strcmp(v->word[field][middle], word);
        if (!order) return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

void tpgnn_vocabulary_free(tpgnn_vocabulary *v)
{
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        for (int i = 0; i < v->words[f]; i++) ag_free(v->word[f][i]);
        ag_free(v->word[f]);
    }
    *v = (tpgnn_vocabulary){0};
}

json_t *tpgnn_vocabulary_json(const tpgnn_vocabulary *v)
{
    json_t *j = json_object();
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        json_t *list = json_array();
        for (int i = 0; i < v->words[f]; i++)
            json_array_append_new(list, json_string(v->word[f][i]));
        json_object_set_new(j, tpgnn_field_names[f], list);
    }
    return j;
}

static ag_status read_field(tpgnn_vocabulary *v, tpgnn_field field, const json_t *list,
                            const char *name, ag_failure *why)
{
    const size_t count = json_array_size(list);
    const char *first = json_string_value(json_array_get(list, 0));
    if (!first || strcmp(first, "?") || count > 65536)
        return ag_fail(why, AG_EDATA,
                       "%s: the vocabulary's \"%s\" must be a list of 1 to 65536 words that begins "
                       "with \"?\"; train again to write it anew",
                       name, tpgnn_field_names[field]);
    if (make_field(v, field, count, why)) return why->status;
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word || (i > 1 && strcmp(v->word[field][i - 1], word) >= 0))
            return ag_fail(why, AG_EDATA,
                           "%s: entry %zu of the vocabulary's \"%s\" must be a word that comes "
                           "after the one before it in the alphabet; train again to write it anew",
                           name, i, tpgnn_field_names[field]);
        if (add_word(v, field, word, why)) return why->status;
    }
    return AG_OK;
}

ag_status tpgnn_vocabulary_read(tpgnn_vocabulary *v, const json_t *json, const char *name,
                                ag_failure *why)
{
    for (int f = 0; f < TPGNN_FIELDS; f++)
        if (read_field(v, (tpgnn_field)f, json_object_get(json, tpgnn_field_names[f]), name, why)) {
            tpgnn_vocabulary_free(v);
            break;
        }
    return why->status;
}
