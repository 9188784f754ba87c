/* SPDX-License-Identifier: MIT */
/* Kinds of nodes: the lines of a file, and the one list of all files. */
#include "examples/tpgnn/data/data_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 1 << 24, LONGEST_LINE = 400, WORDS = 5 };

void tpgnn_kinds_drop(tpgnn_kind_lines *lines)
{
    for (int i = 0; i < lines->count; i++) ag_free(lines->kind[i].text);
    ag_free(lines->kind);
    *lines = (tpgnn_kind_lines){0};
}

/* ---- lines of a file ---- */

/* Splits a line at its blanks, which become ends of words; 0: it does not have five words, or the
   last is neither 0 nor 1. */
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

enum { KIND_MADE, KIND_WRONG, KIND_NO_MEMORY };

/* One block has the line, the line as words, and the type up to its first dot. */
static int make_kind(tpgnn_kind *k, const char *line, size_t n)
{
    char *word[WORDS];
    if (n > LONGEST_LINE) return KIND_WRONG;
    k->text = ag_alloc(3 * (n + 1));
    if (!k->text) return KIND_NO_MEMORY;
    char *words = k->text + n + 1, *class = words + n + 1;
    memcpy(k->text, line, n);
    k->text[n] = 0;
    memcpy(words, k->text, n + 1);
    if (!split(word, words, n)) return KIND_WRONG;
    memcpy(class, words, n + 1);
    class[strcspn(class, ".")] = 0;
    k->word[TPGNN_TYPE] = word[0];
    k->word[TPGNN_CLASS] = class;
    k->word[TPGNN_LOOP] = word[1];
    k->word[TPGNN_DTYPE] = word[2];
    k->word[TPGNN_SCOPE] = word[3];
    k->named = *word[4] == '1';
    k->constant = !strcmp(word[0], "IntImm") || !strcmp(word[0], "FloatImm");
    return KIND_MADE;
}

ag_status tpgnn_kinds_cut(tpgnn_kind_lines *lines, const char *text, int64_t bytes,
                          const char *name, ag_failure *why)
{
    if (bytes > LONGEST_TEXT)
        return ag_fail(why, AG_EDATA, "%s: kinds has %lld bytes, but at most %d are supported",
                       name, (long long)bytes, LONGEST_TEXT);
    size_t count = 1, from = 0;
    const size_t n = (size_t)bytes;
    for (size_t i = 0; i < n; i++) count += text[i] == '\n';
    if (count > TPGNN_MOST_KINDS)
        return ag_fail(why, AG_EDATA, "%s: kinds has %zu lines, but at most %d are supported", name,
                       count, TPGNN_MOST_KINDS);
    lines->kind = ag_alloc(count * sizeof *lines->kind);
    if (!lines->kind) return harness_files_no_memory(name, count * sizeof *lines->kind, why);
    memset(lines->kind, 0, count * sizeof *lines->kind);
    for (size_t i = 0; i <= n; i++) {
        if (i < n && text[i] != '\n') continue;
        const int made = make_kind(&lines->kind[lines->count++], text + from, i - from);
        if (made == KIND_NO_MEMORY) return harness_files_no_memory(name, i - from, why);
        if (made == KIND_WRONG)
            return ag_fail(why, AG_EDATA,
                           "%s: line %d of kinds, counted from 0, must be five words with a blank "
                           "between them: TYPE LOOP DTYPE SCOPE NAMED, the last 0 or 1",
                           name, lines->count - 1);
        from = i + 1;
    }
    return AG_OK;
}

ag_status tpgnn_kinds_read(tpgnn_kind_lines *lines, const tpugraphs_raw *raw, ag_failure *why)
{
    const ag_array_info *info =
        tpugraphs_member(raw, "kinds", AG_SHAPE(-1), "text, a line per kind of node", why);
    if (!info) return why->status;
    char *text = tpugraphs_raw_read(raw, "kinds", AG_U8, info->size[0], why);
    if (!text) return why->status;
    tpgnn_kinds_cut(lines, text, info->size[0], raw->name, why);
    ag_free(text);
    return why->status;
}

/* ---- the list of all ---- */

typedef struct sorted_kind {
    tpgnn_kind kind;
    int from;
} sorted_kind;

ag_status tpgnn_kinds_reserve(tpgnn_data *data, const tpgnn_kind_lines *lines, ag_failure *why)
{
    struct tpgnn_data_parts *p = data->parts;
    const size_t most = (size_t)data->kinds + (size_t)lines->count + 1;
    const size_t bytes = most * (sizeof(sorted_kind) + sizeof(uint16_t));
    tpgnn_kind *kind = ag_grow(data->kind, most * sizeof *kind);
    if (kind) data->kind = kind;
    if (!kind || tpgnn_index_room(&p->kinds, kind, data->kinds, most))
        return harness_files_no_memory("kinds", most * sizeof *kind, why);
    if (bytes <= p->scratch_bytes) return AG_OK;
    void *scratch = ag_grow(p->scratch, bytes);
    if (!scratch) return harness_files_no_memory("kinds", bytes, why);
    p->scratch = scratch;
    p->scratch_bytes = bytes;
    return AG_OK;
}

void tpgnn_kinds_merge(tpgnn_data *data, tpgnn_kind_lines *lines, tpgnn_file *file)
{
    tpgnn_index *index = &data->parts->kinds;
    uint16_t *place = data->parts->scratch;
    for (int i = 0; i < lines->count; i++) {
        tpgnn_kind *k = &lines->kind[i];
        const int at = tpgnn_index_find(index, data->kind, k->text);
        place[i] = (uint16_t)(at < 0 ? data->kinds : at);
        if (at >= 0) continue;
        data->kind[data->kinds++] = *k;
        tpgnn_index_add(index, data->kind, data->kinds - 1);
        *k = (tpgnn_kind){0};
    }
    for (int64_t v = 0; v < file->nodes; v++) file->kind[v] = place[file->kind[v]];
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const sorted_kind *)a)->kind.text, ((const sorted_kind *)b)->kind.text);
}

static void sort_kinds(tpgnn_data *data)
{
    const size_t n = (size_t)data->kinds;
    if (!n) return;
    sorted_kind *sorted = data->parts->scratch;
    uint16_t *place = (uint16_t *)(void *)(sorted + n);
    for (size_t i = 0; i < n; i++) sorted[i] = (sorted_kind){data->kind[i], (int)i};
    qsort(sorted, n, sizeof *sorted, by_text);
    for (size_t i = 0; i < n; i++) {
        place[sorted[i].from] = (uint16_t)i;
        data->kind[i] = sorted[i].kind;
    }
    tpgnn_index_fill(&data->parts->kinds, data->kind, data->kinds);
    for (int t = 0; t < data->tasks; t++) {
        const tpgnn_file *file = &data->parts->file[t];
        for (int64_t v = 0; v < file->nodes; v++) file->kind[v] = place[file->kind[v]];
    }
}

static ag_status make_vocabulary(tpgnn_data *data, ag_failure *why)
{
    static const char *none[1];
    const char **word = data->kinds ? data->parts->scratch : none;
    tpgnn_vocabulary_free(&data->own);
    for (int f = 0; f < TPGNN_FIELDS && !data->given && !why->status; f++) {
        for (int i = 0; i < data->kinds; i++) word[i] = data->kind[i].word[f];
        tpgnn_vocabulary_fill(&data->own, (tpgnn_field)f, word, data->kinds, why);
    }
    return why->status;
}

void tpgnn_kinds_look_up(tpgnn_data *data)
{
    const tpgnn_vocabulary *v = tpgnn_data_vocabulary(data);
    for (int f = 0; f < TPGNN_FIELDS; f++)
        for (int i = 0; i < data->kinds; i++)
            data->kind[i].index[f] =
                tpgnn_vocabulary_find(v, (tpgnn_field)f, data->kind[i].word[f]);
}

ag_status tpgnn_kinds_settle(tpgnn_data *data, ag_failure *why)
{
    ag_failure mine = {0}; /* `why` may tell of a file that could not be read */
    sort_kinds(data);
    if (!make_vocabulary(data, &mine))
        tpgnn_kinds_look_up(data);
    else if (!why->status)
        *why = mine;
    return why->status;
}

void tpgnn_kinds_free(tpgnn_data *data)
{
    for (int i = 0; i < data->kinds; i++) ag_free(data->kind[i].text);
    ag_free(data->kind);
    if (data->parts) ag_free(data->parts->kinds.slot);
    tpgnn_vocabulary_free(&data->own);
}
