/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/vocabulary.h"

#include "examples/harness/harness.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const tpgnn_field_names[TPGNN_FIELDS] = {"type", "class", "loop", "dtype", "scope"};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void tpgnn_vocabulary_fill(tpgnn_vocabulary *v, tpgnn_field field, const char *const *word,
                           int count)
{
    const char **sorted = harness_alloc((size_t)count * sizeof *sorted + 1);
    char **kept = harness_alloc(((size_t)count + 1) * sizeof *kept);
    int n = 0;
    for (int i = 0; i < count; i++) sorted[i] = word[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_text);
    kept[n++] = harness_copy("?");
    for (int i = 0; i < count; i++)
        if (!i || strcmp(sorted[i], sorted[i - 1])) kept[n++] = harness_copy(sorted[i]);
    harness_free(sorted);
    v->word[field] = kept;
    v->words[field] = n;
}

void tpgnn_vocabulary_copy(tpgnn_vocabulary *out, const tpgnn_vocabulary *v)
{
    for (int f = 0; f < TPGNN_FIELDS; f++)
        tpgnn_vocabulary_fill(out, (tpgnn_field)f, (const char *const *)v->word[f] + 1,
                              v->words[f] - 1);
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
        for (int i = 0; i < v->words[f]; i++) harness_free(v->word[f][i]);
        harness_free(v->word[f]);
    }
    *v = (tpgnn_vocabulary){0};
}

json_t *tpgnn_vocabulary_json(const tpgnn_vocabulary *v)
{
    json_t *j = json_object();
    int bad = !j;
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        json_t *list = json_array();
        for (int i = 0; i < v->words[f]; i++)
            bad |= json_array_append_new(list, json_string(v->word[f][i]));
        bad |= json_object_set_new(j, tpgnn_field_names[f], list);
    }
    if (!bad) return j;
    json_decref(j);
    return NULL;
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
    v->word[field] = harness_alloc(count * sizeof *v->word[field]);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word || (i > 1 && strcmp(v->word[field][i - 1], word) >= 0))
            return ag_fail(why, AG_EDATA,
                           "%s: entry %zu of the vocabulary's \"%s\" must be a word that comes "
                           "behind the one before it in the alphabet; train again to write it anew",
                           name, i, tpgnn_field_names[field]);
        v->word[field][i] = harness_copy(word);
        v->words[field]++;
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
