/* SPDX-License-Identifier: MIT */
/* Kinds of nodes: the lines of a file, and the one list of all files. */
#include "examples/harness/bag.h"
#include "examples/tpgnn/data_parts.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 1 << 24, LONGEST_LINE = 400, WORDS = 5 };

static void free_kind(tpgnn_kind *k)
{
    harness_free(k->text);
    for (int f = 0; f < TPGNN_FIELDS; f++) harness_free(k->word[f]);
}

void tpgnn_kinds_drop(tpgnn_kind_lines *lines)
{
    for (int i = 0; i < lines->count; i++) free_kind(&lines->kind[i]);
    harness_free(lines->kind);
    *lines = (tpgnn_kind_lines){0};
}

/* ---- lines of a file ------------------------------------------------------------------------ */

/* Cuts a line at its blanks; 0: it is not five words, or the last is neither 0 nor 1. */
static int split(const char *word[WORDS], size_t length[WORDS], const char *line, size_t n)
{
    int words = 0;
    for (size_t i = 0, from = 0; i <= n; i++) {
        if (i < n && line[i] > ' ' && line[i] < 127) continue;
        if ((i < n && line[i] != ' ') || i == from || words == WORDS) return 0;
        word[words] = line + from;
        length[words++] = i - from;
        from = i + 1;
    }
    return words == WORDS && length[4] == 1 && (*word[4] == '0' || *word[4] == '1');
}

static char *copy(const char *text, size_t n) { return harness_text("%.*s", (int)n, text); }

static int make_kind(tpgnn_kind *k, const char *line, size_t n)
{
    const char *word[WORDS];
    size_t length[WORDS];
    if (n > LONGEST_LINE || !split(word, length, line, n)) return 0;
    const char *dot = memchr(word[0], '.', length[0]);
    k->text = copy(line, n);
    k->word[TPGNN_TYPE] = copy(word[0], length[0]);
    k->word[TPGNN_CLASS] = copy(word[0], dot ? (size_t)(dot - word[0]) : length[0]);
    k->word[TPGNN_LOOP] = copy(word[1], length[1]);
    k->word[TPGNN_DTYPE] = copy(word[2], length[2]);
    k->word[TPGNN_SCOPE] = copy(word[3], length[3]);
    k->named = *word[4] == '1';
    k->constant =
        !strcmp(k->word[TPGNN_TYPE], "IntImm") || !strcmp(k->word[TPGNN_TYPE], "FloatImm");
    return 1;
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
    lines->kind = harness_alloc(count * sizeof *lines->kind);
    for (size_t i = 0; i <= n; i++) {
        if (i < n && text[i] != '\n') continue;
        if (!make_kind(&lines->kind[lines->count], text + from, i - from))
            return ag_fail(why, AG_EDATA,
                           "%s: line %d of kinds, counted from 0, must be five words with a blank "
                           "between them: TYPE LOOP DTYPE SCOPE NAMED, the last 0 or 1",
                           name, lines->count);
        lines->count++;
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
    ag__free(text);
    return why->status;
}

/* ---- the list of all ------------------------------------------------------------------------ */

void tpgnn_kinds_merge(tpgnn_data *data, tpgnn_kind_lines *lines, tpgnn_file *file)
{
    const size_t most = (size_t)data->kinds + (size_t)lines->count;
    uint16_t *place = harness_alloc((size_t)lines->count * sizeof *place + 1);
    data->kind = harness_grow(data->kind, most * sizeof *data->kind + 1);
    for (int i = 0; i < lines->count; i++) {
        tpgnn_kind *k = &lines->kind[i];
        const int at = map_find(data->parts->kinds, k->text);
        place[i] = (uint16_t)(at < 0 ? data->kinds : data->parts->kinds[at].value);
        if (at >= 0) continue;
        map_add(data->parts->kinds, k->text, data->kinds);
        data->kind[data->kinds++] = *k;
        *k = (tpgnn_kind){0};
    }
    for (int64_t v = 0; v < file->nodes; v++) file->kind[v] = place[file->kind[v]];
    harness_free(place);
}

typedef struct sorted_kind {
    tpgnn_kind kind;
    int from;
} sorted_kind;

static int by_text(const void *a, const void *b)
{
    return strcmp(((const sorted_kind *)a)->kind.text, ((const sorted_kind *)b)->kind.text);
}

static void sort_kinds(tpgnn_data *data)
{
    const size_t n = (size_t)data->kinds;
    sorted_kind *sorted = harness_alloc(n * sizeof *sorted + 1);
    uint16_t *place = harness_alloc(n * sizeof *place + 1);
    for (size_t i = 0; i < n; i++) sorted[i] = (sorted_kind){data->kind[i], (int)i};
    qsort(sorted, n, sizeof *sorted, by_text);
    for (size_t i = 0; i < n; i++) {
        place[sorted[i].from] = (uint16_t)i;
        data->kind[i] = sorted[i].kind;
        map_add(data->parts->kinds, data->kind[i].text, (int)i);
    }
    for (int t = 0; t < data->tasks; t++) {
        const tpgnn_file *file = &data->parts->file[t];
        for (int64_t v = 0; v < file->nodes; v++) file->kind[v] = place[file->kind[v]];
    }
    harness_free(place);
    harness_free(sorted);
}

void tpgnn_kinds_settle(tpgnn_data *data)
{
    const char **word = harness_alloc((size_t)data->kinds * sizeof *word + 1);
    sort_kinds(data);
    tpgnn_vocabulary_free(&data->own);
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        for (int i = 0; i < data->kinds; i++) word[i] = data->kind[i].word[f];
        if (!data->given) tpgnn_vocabulary_fill(&data->own, (tpgnn_field)f, word, data->kinds);
        for (int i = 0; i < data->kinds; i++)
            data->kind[i].index[f] =
                tpgnn_vocabulary_find(tpgnn_data_vocabulary(data), (tpgnn_field)f, word[i]);
    }
    harness_free(word);
}

void tpgnn_kinds_free(tpgnn_data *data)
{
    for (int i = 0; i < data->kinds; i++) free_kind(&data->kind[i]);
    harness_free(data->kind);
    if (data->parts) map_free(data->parts->kinds);
    tpgnn_vocabulary_free(&data->own);
}
