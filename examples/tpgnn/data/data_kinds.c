/* SPDX-License-Identifier: MIT */
/* Kinds of nodes: the lines of a file, and the one list of all files. */
#include "examples/tpgnn/data/data_internal.h"
#include "core/error.h"
#include "examples/harness/base/bag.h"

#include <string.h>

enum { LONGEST_TEXT = 1 << 24, LONGEST_LINE = 400, WORDS = 5 };

/* Splits a line at its blanks, which end the words; 0: it has not five, or no flag as the last. */
static int split(char *word[WORDS], char *line, size_t n)
{
    int words = 0;
    for (size_t i = 0, from = 0; i <= n; i++) {
        if (i < n && line[i] > ' ' && line[i] < 127) continue;
        if ((i < n && line[i] != ' ') || i == from || words == WORDS) return 0;
        word[words++] = line + from;
        line[i] = 0;
        from = i + 1;
    }
    return words == WORDS && (!strcmp(word[4], "0") || !strcmp(word[4], "1"));
}

static const char *const declarations[] = {"Param", "AllocBuffer", "DeclBuffer",
                                           "For",   "Bind",        "Let"};

/* One block has the line, the line as words, and the type up to its first dot. */
static ag_status make_kind(tpgnn_kind *k, const tpgnn_reading *r, const char *line, size_t n,
                           ag_failure *why)
{
    char *word[WORDS];
    if (n <= LONGEST_LINE) {
        k->text = harness_alloc(3 * (n + 1));
        memcpy(k->text, line, n);
    }
    char *words = k->text ? k->text + n + 1 : NULL, *class = words ? words + n + 1 : NULL;
    if (!words || !split(word, memcpy(words, k->text, n + 1), n))
        return ag_fail(why, AG_EDATA,
                       "%s: line %d of kinds, counted from 0, must be five words with a blank "
                       "between them: TYPE LOOP DTYPE SCOPE NAMED, the last 0 or 1",
                       r->raw.name, r->lines - 1);
    memcpy(class, words, n + 1);
    class[strcspn(class, ".")] = 0;
    int declares = 0;
    while (declares < 6 && strcmp(class, declarations[declares])) declares++;
    k->word[TPGNN_TYPE] = word[0];
    k->word[TPGNN_CLASS] = class;
    k->word[TPGNN_LOOP] = word[1];
    k->word[TPGNN_DTYPE] = word[2];
    k->word[TPGNN_SCOPE] = word[3];
    k->buffer = declares < 3;
    k->loop = declares == 3;
    k->declares = declares < 6;
    k->named = *word[4] == '1';
    k->constant = !strcmp(word[0], "IntImm") || !strcmp(word[0], "FloatImm");
    return AG_OK;
}

ag_status tpgnn_kinds_cut(const tpgnn_data *data, tpgnn_reading *r, const char *text, int64_t bytes,
                          ag_failure *why)
{
    size_t count = 1, from = 0;
    const size_t n = (size_t)bytes;
    if (bytes > LONGEST_TEXT)
        return ag_fail(why, AG_EDATA, "%s: kinds has %lld bytes, but at most %d are supported",
                       r->raw.name, (long long)bytes, LONGEST_TEXT);
    for (size_t i = 0; i < n; i++) count += text[i] == '\n';
    if ((size_t)data->kinds + count > TPGNN_MOST_KINDS)
        return ag_fail(why, AG_EDATA,
                       "%s: its %zu kinds of nodes, with the %d of the files before it, are more "
                       "than %d; use fewer files",
                       r->raw.name, count, data->kinds, TPGNN_MOST_KINDS);
    r->line = HARNESS_NEW(r->line, count);
    r->number = HARNESS_NEW(r->number, count);
    for (size_t i = 0; i <= n; i++) {
        if (i < n && text[i] != '\n') continue;
        if (make_kind(&r->line[r->lines++], r, text + from, i - from, why)) break;
        from = i + 1;
    }
    return why->status;
}

void tpgnn_kinds_merge(tpgnn_data *data, tpgnn_reading *r)
{
    for (int i = 0; i < r->lines; i++) {
        int at = map_find(data->kind_at, r->line[i].text);
        if (at < 0) {
            at = data->kinds;
            map_add(data->kind_at, r->line[i].text, at);
            bag_add(data->kind, r->line[i]);
            data->kinds++; /* last, since a guest's call may end where there is no memory */
            r->line[i].text = NULL;
        } else
            at = data->kind_at[at].value;
        r->number[i] = (uint16_t)at;
    }
    for (int64_t v = 0; v < r->nodes; v++) r->kind[v] = r->number[r->given[v]];
}

void tpgnn_data_translate(tpgnn_data *data, const tpgnn_vocabulary *given)
{
    data->given = given;
    const tpgnn_vocabulary *v = tpgnn_data_vocabulary(data);
    for (int f = 0; f < TPGNN_FIELDS; f++)
        for (int i = 0; i < data->kinds; i++)
            data->kind[i].index[f] =
                tpgnn_vocabulary_find(v, (tpgnn_field)f, data->kind[i].word[f]);
}

void tpgnn_kinds_settle(tpgnn_data *data)
{
    const char **word = HARNESS_NEW(word, data->kinds);
    tpgnn_vocabulary_free(&data->own);
    for (int f = 0; f < TPGNN_FIELDS && !data->given; f++) {
        for (int i = 0; i < data->kinds; i++) word[i] = data->kind[i].word[f];
        tpgnn_vocabulary_fill(&data->own, (tpgnn_field)f, word, data->kinds);
    }
    harness_free(word);
    tpgnn_data_translate(data, data->given);
}
