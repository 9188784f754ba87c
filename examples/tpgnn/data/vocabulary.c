/* SPDX-License-Identifier: MIT */
/* Keeps the words of each field of nodes (type, class, ...) and looks them up. */
#include "examples/tpgnn/data/vocabulary.h"
#include "core/error.h"
#include "examples/harness/base/base.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const tpgnn_field_names[TPGNN_FIELDS] = {"type", "class", "loop", "dtype", "scope"};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Copies words into an empty field: one block with the pointers and then the words. */
static void set_field(tpgnn_vocabulary *v, tpgnn_field field, const char *const *word, size_t count)
{
    size_t bytes = count * sizeof(char *);
    for (size_t i = 0; i < count; i++) bytes += strlen(word[i]) + 1;
    char **list = v->word[field] = harness_alloc(bytes), *at = (char *)(list + count);
    for (size_t i = 0; i < count; i++) {
        list[i] = strcpy(at, word[i]);
        at += strlen(at) + 1;
    }
    v->words[field] = (int)count;
}

void tpgnn_vocabulary_fill(tpgnn_vocabulary *v, tpgnn_field field, const char *const *word,
                           int count)
{
    const size_t n = (size_t)count + 1;
    size_t words = 0;
    const char **sorted = HARNESS_NEW(sorted, n);
    sorted[0] = "?";
    for (size_t i = 1; i < n; i++) sorted[i] = word[i - 1];
    qsort(sorted + 1, n - 1, sizeof *sorted, by_text);
    for (size_t i = 0; i < n; i++)
        if (i < 2 || strcmp(sorted[i], sorted[words - 1])) sorted[words++] = sorted[i];
    set_field(v, field, sorted, words);
    harness_free(sorted);
}

int tpgnn_vocabulary_find(const tpgnn_vocabulary *v, tpgnn_field field, const char *word)
{
    char **list = v->word[field];
    if (v->words[field] < 2) return 0;
    char **at = bsearch(&word, list + 1, (size_t)v->words[field] - 1, sizeof *list, by_text);
    return at ? (int)(at - list) : 0;
}

void tpgnn_vocabulary_free(tpgnn_vocabulary *v)
{
    for (int f = 0; f < TPGNN_FIELDS; f++) harness_free(v->word[f]);
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
                       "with \"?\"; train again to rewrite it",
                       name, tpgnn_field_names[field]);
    const char **word = HARNESS_NEW(word, count);
    for (size_t i = 0; i < count && !why->status; i++) {
        word[i] = json_string_value(json_array_get(list, i));
        if (!word[i] || (i > 1 && strcmp(word[i - 1], word[i]) >= 0))
            ag_fail(why, AG_EDATA,
                    "%s: entry %zu of the vocabulary's \"%s\" must be a word that comes after the "
                    "one before it in the alphabet; train again to rewrite it",
                    name, i, tpgnn_field_names[field]);
    }
    if (!why->status) set_field(v, field, word, count);
    harness_free(word);
    return why->status;
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
