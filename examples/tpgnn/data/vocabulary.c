/* SPDX-License-Identifier: MIT */
/* Keeps the words of each field of nodes (type, class, ...) and looks them up. */
#include "examples/tpgnn/data/vocabulary.h"
#include "core/error.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/base/names.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const tpgnn_field_names[TPGNN_FIELDS] = {"type", "class", "loop", "dtype", "scope"};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_word(tpgnn_vocabulary *v, tpgnn_field field, const char *word)
{
    bag_add(v->word[field], harness_copy(word));
    v->words[field]++;
}

void tpgnn_vocabulary_fill(tpgnn_vocabulary *v, tpgnn_field field, const char **word, int count)
{
    qsort(word, (size_t)count, sizeof *word, by_text);
    add_word(v, field, "?");
    for (int i = 0; i < count; i++)
        if (!i || strcmp(word[i], word[i - 1])) add_word(v, field, word[i]);
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
    for (int f = 0; f < TPGNN_FIELDS; f++) harness_names_free(v->word[f], NULL);
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
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word || (i > 1 && strcmp(v->word[field][i - 1], word) >= 0))
            return ag_fail(why, AG_EDATA,
                           "%s: entry %zu of the vocabulary's \"%s\" must be a word that comes "
                           "after the one before it in the alphabet; train again to rewrite it",
                           name, i, tpgnn_field_names[field]);
        add_word(v, field, word);
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
