/* SPDX-License-Identifier: MIT */
/* Config files, presets and studies: lines "key = value" under headings "[section]". */
#include "core/io/io.h"
#include "core/error.h"
#include "examples/harness/cli/options_internal.h"

#include <string.h>

enum { MOST_BYTES = 1 << 20 };

/* The text without blanks around it. */
static char *trim(char *text)
{
    static const char blanks[] = " \t\r\v\f";
    text += strspn(text, blanks);
    size_t n = strlen(text);
    while (n && strchr(blanks, text[n - 1])) n--;
    text[n] = 0;
    return text;
}

/* A comment begins the line, or follows a blank. */
static void cut_comment(char *line)
{
    char *c = strchr(line, ';');
    while (c && c > line && c[-1] != ' ' && c[-1] != '\t') c = strchr(c + 1, ';');
    if (*line == '#') c = line;
    if (c) *c = 0;
}

/* The mistake in a line that says something; NULL: it is a heading, or else has a key. */
static const char *parse(char *line, const char **section, const char **key, const char **value)
{
    char *bracket = strchr(line, ']'), *equals = line + strcspn(line, "=:");
    if (*line == '[') {
        if (!bracket) return "the section has no closing bracket; write [name]";
        *bracket = 0;
        *section = line + 1;
        return NULL;
    }
    if (!*equals) return "neither a [section] nor a pair; write key = value";
    if (equals == line) return "no key in front of the \"=\"; write key = value";
    *equals = 0;
    *key = trim(line);
    *value = trim(equals + 1);
    return NULL;
}

ag_status harness__ini(const char *file, const char *text, size_t bytes, harness__ini_pair *pair,
                       void *context, ag_failure *why)
{
    const char *section = "", *end = text + bytes;
    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3; /* a byte order mark */
    for (int number = 1; text < end && !why->status; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)),
                   *stop = newline ? newline : end, *key = NULL, *value = NULL, *wrong = NULL,
                   *where = harness_format("%.100s line %d", file, number);
        char *line = trim(harness_format("%.*s", (int)(stop - text), text));
        if (*line != '[') cut_comment(line); /* a name may have a ";" */
        if (memchr(text, 0, (size_t)(stop - text)))
            wrong = "a zero byte; this is not a text file";
        else if (*line)
            wrong = parse(line, &section, &key, &value);
        if (wrong)
            ag_fail(why, AG_EUSE, "%s: %s", where, wrong);
        else if (*line)
            pair(context, section, key, value, where, why);
        text = newline ? newline + 1 : end;
    }
    return why->status;
}

typedef struct target {
    harness_options *o;
    const char *preset; /* the one section that counts; NULL: all do */
} target;

static ag_status set_option(void *context, const char *section, const char *key, const char *value,
                            const char *where, ag_failure *why)
{
    const target *t = context;
    if (!key || (t->preset && *section && strcmp(section, t->preset) != 0)) return AG_OK;
    const int index = harness__option_index(t->o->program, t->o->command, key);
    if (index >= 0 && !(t->o->program->options[index].commands & t->o->command)) return AG_OK;
    if (index >= 0 && t->preset) return harness__assign(t->o, index, where, value, why);
    return harness_options_set(t->o, where, key, value, why);
}

ag_status harness_options_preset(harness_options *o, const char *text, const char *name,
                                 ag_failure *why)
{
    target t = {o, name};
    return harness__ini("presets.ini", text, strlen(text), set_option, &t, why);
}

ag_status harness_options_ini(harness_options *o, const char *file, const char *text, size_t bytes,
                              ag_failure *why)
{
    target t = {o, NULL};
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
