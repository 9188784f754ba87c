/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/logs_lines.h"

#include "examples/harness/harness.h"

#include <string.h>

tpgnn_lines *tpgnn_lines_new(FILE *file, size_t limit)
{
    tpgnn_lines *l = harness_alloc(sizeof *l);
    l->file = file;
    l->limit = limit;
    return l;
}

void tpgnn_lines_free(tpgnn_lines *l)
{
    if (!l) return;
    fclose(l->file);
    harness_free(l->text);
    harness_free(l);
}

static void append(tpgnn_lines *l, const char *from, size_t n)
{
    if (l->room - l->bytes < n) {
        l->room = l->room * 2 > l->bytes + n ? l->room * 2 : l->bytes + n;
        l->text = harness_grow(l->text, l->room);
    }
    if (n) memcpy(l->text + l->bytes, from, n);
    l->bytes += n;
}

tpgnn_line_is tpgnn_lines_next(tpgnn_lines *l)
{
    int some = 0, over = 0, ended = 0;
    l->bytes = 0;
    while (!ended) {
        if (l->at == l->end) {
            l->at = 0;
            l->end = fread(l->chunk, 1, sizeof l->chunk, l->file);
            if (l->end == 0) break;
        }
        const char *from = l->chunk + l->at, *newline = memchr(from, '\n', l->end - l->at);
        const size_t n = newline ? (size_t)(newline - from) : l->end - l->at;
        if (n > l->limit - l->bytes) over = 1;
        if (!over) append(l, from, n);
        ended = newline != NULL;
        l->at += n + (size_t)ended;
        some = 1;
    }
    if (ferror(l->file)) return TPGNN_LINE_UNREAD;
    if (!some) return TPGNN_LINE_END;
    l->number++;
    return over ? TPGNN_LINE_LONG : TPGNN_LINE;
}
