/* SPDX-License-Identifier: MIT */
/* Calls of the bench. */
#ifndef BENCH_CALL_H
#define BENCH_CALL_H

#include "support/test.h"
#include "support/files.h"

#include <jansson.h>

/* Runs the bench; returns its exit code and fills text with its output, errors included. */
static inline int bench(char *text, size_t bytes, const char *options)
{
    return shell_text(text, bytes, formatted("'" AG_BIN_DIR "/bench' %s 2>&1", options));
}

/* The same; returns what it wrote as JSON, to be freed, NULL if nothing. */
static inline json_t *bench_json(int *code, char *text, size_t bytes, const char *options)
{
    char path[] = "/tmp/bench_json_XXXXXX", line[350];
    close(mkstemp(path));
    snprintf(line, sizeof line, "%s --json %s", options, path);
    *code = bench(text, bytes, line);
    json_t *all = json_load_file(path, 0, NULL);
    unlink(path);
    return all;
}

static inline double value(json_t *row, const char *name)
{
    json_t *v = json_object_get(row, name);
    if (!json_is_number(v)) fail_msg("a row has no number \"%s\"", name);
    return json_number_value(v);
}

#endif
