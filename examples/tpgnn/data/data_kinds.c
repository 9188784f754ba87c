/* SPDX-License-Identifier: MIT */
/* Kinds of nodes: the lines of a file, and the one list of all files. */
#include "examples/tpgnn/data/data_internal.h"
#include "core/error.h"
#include "core/memory.h"

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
        k->text = ag_alloc(3 * (n + 1));
        if (!k->text) return harness_files_no_memory(r->raw.name, n, why);
        memcpy(k->text, line, n);
        k->text[n] = 0;
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
    const size_t room = count * (sizeof *r->line + sizeof *r->number);
    r->line = ag_alloc(room);
    if (!r->line) return harness_files_no_memory(r->raw.name, room, why);
    memset(r->line, 0, room);
    r->number = (uint16_t *)(void *)(r->line + count);
    for (size_t i = 0; i <= n; i++) {
        if (i < n && text[i] != '\n') continue;
        if (make_kind(&r->line[r->lines++], r, text + from, i - from, why)) break;
        from = i + 1;
    }
    return why->status;
}

/* The place of a text in the order of all; *there: the list has it. */
static int find_place(bool *there, const tpgnn_data *data, const char *text)
{
    int low = 0, high = data->kinds;
    for (*there = false; low < high && !*there;) {
        const int middle = (low + high) / 2;
        const int before = strcmp(data->kind[data->order[middle]].text, text);
        *there = !before;
        if (before < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return *there ? high : low;
}

static ag_status reserve(tpgnn_data *data, int more, ag_failure *why)
{
    const size_t most = (size_t)data->kinds + (size_t)more;
    tpgnn_kind *kind = ag_grow(data->kind, most * sizeof *kind);
    if (kind) data->kind = kind;
    uint16_t *order = ag_grow(data->order, most * sizeof *order);
    if (order) data->order = order;
    return kind && order ? AG_OK : harness_files_no_memory("kinds", most * sizeof *kind, why);
}

ag_status tpgnn_kinds_merge(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    if (reserve(data, r->lines, why)) return why->status;
    for (int i = 0; i < r->lines; i++) {
        bool there;
        uint16_t *at = data->order + find_place(&there, data, r->line[i].text);
        if (!there) {
            memmove(at + 1, at, (size_t)(data->order + data->kinds - at) * sizeof *at);
            *at = (uint16_t)data->kinds;
            data->kind[data->kinds++] = r->line[i];
            r->line[i].text = NULL;
        }
        r->number[i] = *at;
    }
    for (int64_t v = 0; v < r->nodes; v++) r->kind[v] = r->number[r->given[v]];
    return AG_OK;
}

static ag_status make_vocabulary(tpgnn_data *data, ag_failure *why)
{
    const size_t bytes = (size_t)data->kinds * sizeof(char *) + 1;
    tpgnn_vocabulary_free(&data->own);
    if (data->given) return AG_OK;
    const char **word = ag_alloc(bytes);
    if (!word) return harness_files_no_memory("kinds", bytes, why);
    for (int f = 0; f < TPGNN_FIELDS && !why->status; f++) {
        for (int i = 0; i < data->kinds; i++) word[i] = data->kind[i].word[f];
        tpgnn_vocabulary_fill(&data->own, (tpgnn_field)f, word, data->kinds, why);
    }
    ag_free(word);
    return why->status;
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

ag_status tpgnn_kinds_settle(tpgnn_data *data, ag_failure *why)
{
    ag_failure mine = {0}; /* `why` may tell of a file that could not be read */
    if (!make_vocabulary(data, &mine))
        tpgnn_data_translate(data, data->given);
    else if (!why->status)
        *why = mine;
    return why->status;
}
