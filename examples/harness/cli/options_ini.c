/* SPDX-License-Identifier: MIT */
/* Config files, by inih. We pass it one line at a time: that gives line numbers, which Debian's
   build lacks, and finds errors that it would silently ignore (long lines, bytes that are no text,
   sections without keys). */
#include "core/io/io.h"
#include "examples/harness/cli/options_internal.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

typedef struct reader {
    const char *file, *text;
    size_t bytes, at;
    int line;
    char section[64];
    harness__ini_pair *pair;
    void *context;
    ag_failure *why;
} reader;

static void stop(reader *r, const char *what)
{
    ag_fail(r->why, AG_EUSE, "%.120s line %d: %s", r->file, r->line, what);
}

static void begin_section(reader *r, const char *line, size_t n)
{
    const char *end = memchr(line, ']', n);
    const size_t length = end ? (size_t)(end - line) - 1 : 0;
    if (!end) return stop(r, "the section has no closing bracket; write [name]");
    if (length >= sizeof r->section - 14) /* inih keeps 49 characters */
        return stop(r, "the name of the section is longer than 49 characters; shorten it");
    memcpy(r->section, line + 1, length);
    r->section[length] = 0;
    r->pair(r->context, r->section, NULL, NULL, r->line, r->why);
}

/* fgets for inih: returns one line without leading blanks (inih would take an indented line as a
   continuation). */
static char *next_line(char *to, int room, void *context)
{
    reader *r = context;
    if (r->why->status || r->at >= r->bytes) return NULL;
    const char *line = r->text + r->at, *end = memchr(line, '\n', r->bytes - r->at);
    size_t n = end ? (size_t)(end - line) : r->bytes - r->at;
    r->at += n + (end != NULL);
    r->line++;
    while (n && (*line == ' ' || *line == '\t')) line++, n--;
    if (memchr(line, 0, n))
        stop(r, "a zero byte; this is not a text file");
    else if (n + 2 > (size_t)room)
        stop(r, "the line is longer than 197 characters; shorten it");
    else if (n && *line == '[')
        begin_section(r, line, n);
    if (r->why->status) return NULL;
    memcpy(to, line, n);
    to[n] = '\n';
    to[n + 1] = 0;
    return to;
}

static int take_pair(void *context, const char *section, const char *key, const char *value)
{
    reader *r = context;
    (void)section; /* ours is longer */
    if (r->why->status) return 0;
    if (!*key)
        stop(r, "no key in front of the \"=\"; write key = value");
    else if (!value)
        stop(r, "no value; write key = value");
    else
        r->pair(r->context, r->section, key, value, r->line, r->why);
    return !r->why->status;
}

ag_status harness__ini(const char *file, const char *text, size_t bytes, harness__ini_pair *pair,
                       void *context, ag_failure *why)
{
    reader r = {
        .file = file, .text = text, .bytes = bytes, .pair = pair, .context = context, .why = why};
    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.at = 3; /* a byte order mark */
    const int bad = ini_parse_stream(next_line, &r, take_pair, &r);   /* a line */
    if (bad) r.line = bad;
    if (bad && !why->status) stop(&r, "neither a [section] nor a pair; write key = value");
    return why->status;
}

char *harness__read_file(const char *path, size_t limit, size_t *bytes, ag_failure *why)
{
    FILE *file = fopen(path, "rb");
    size_t room = 4096, n = 0;
    char *text = NULL;
    if (!file) {
        ag_fail(why, AG_EFILE, "%.200s cannot be opened: %s; check the path", path,
                strerror(errno));
        return NULL;
    }
    for (;;) {
        text = harness_grow(text, room + 1);
        n += fread(text + n, 1, room - n, file);
        if (n < room || n > limit) break;
        room *= 2;
    }
    int bad = ferror(file), reason = errno;
    fclose(file);
    const char *mistaken = ag_file_mistaken(path);
    if (!bad && !mistaken && n <= limit) {
        text[n] = 0;
        *bytes = n;
        return text;
    }
    if (mistaken)
        ag_fail(why, AG_EDATA, "%.200s %s", path, mistaken);
    else if (bad)
        ag_fail(why, AG_EFILE, "%.200s cannot be read: %s; name a readable file", path,
                strerror(reason));
    else
        ag_fail(why, AG_EDATA,
                "%.200s has more than %zu bytes, which no such file needs; check the path", path,
                limit);
    harness_free(text);
    return NULL;
}

typedef struct target {
    harness_options *o;
    const char *file, *preset; /* preset: the one section that counts; NULL: all do */
} target;

static ag_status set_option(void *context, const char *section, const char *key, const char *value,
                            int line, ag_failure *why)
{
    target *t = context;
    if (!key || (t->preset && *section && strcmp(section, t->preset) != 0)) return AG_OK;
    const int index = harness__option_index(t->o->program, t->o->command, key);
    if (index >= 0 && !(t->o->program->options[index].commands & t->o->command)) return AG_OK;
    const char *where = harness_format("%.100s line %d", t->file, line);
    if (index >= 0 && t->preset) return harness__assign(t->o, index, where, value, why);
    return harness_options_set(t->o, where, key, value, why);
}

ag_status harness__preset(harness_options *o, const char *text, const char *name, ag_failure *why)
{
    target t = {o, "presets.ini", name};
    return harness__ini(t.file, text, strlen(text), set_option, &t, why);
}

ag_status harness_options_ini(harness_options *o, const char *file, const char *text, size_t bytes,
                              ag_failure *why)
{
    target t = {o, file, NULL};
    o->layer++;
    return harness__ini(file, text, bytes, set_option, &t, why);
}

ag_status harness_options_ini_file(harness_options *o, const char *path, ag_failure *why)
{
    size_t bytes;
    ag_failure mine = {0};
    char *text = harness__read_file(path, MOST_BYTES, &bytes, &mine);
    if (!text) return ag_fail(why, mine.status, "--config: %s", mine.sentence);
    ag_status status = harness_options_ini(o, path, text, bytes, why);
    harness_free(text);
    return status;
}
