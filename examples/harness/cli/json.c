/* SPDX-License-Identifier: MIT */
/* JSON of file names, JSON as text, and text as JSON. */
#include "examples/harness/cli/options_internal.h"

#include "core/io/io.h"

#include <jansson.h>
#include <string.h>

char *harness_json_text(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(value);
    if (!text) harness_no_memory(1);
    return text;
}

json_t *harness_json_loadb(const char *text, size_t bytes, json_error_t *error)
{
    const char *deep = ag_json_too_deep(text, bytes);
    if (!deep) return json_loadb(text, bytes, JSON_REJECT_DUPLICATES, error);
    if (!error) return NULL;
    *error = (json_error_t){.line = 1, .position = (int)(deep - text)};
    for (const char *c = text; c < deep; c++) error->line += *c == '\n';
    snprintf(error->text, sizeof error->text, "more than %d lists and objects within one another",
             AG_JSON_DEPTH);
    return NULL;
}

json_t *harness_json_loads(const char *text, json_error_t *error)
{
    return harness_json_loadb(text, text ? strlen(text) : 0, error);
}

json_t *harness_json_name(const char *name)
{
    json_t *j = json_string(name);
    if (j) return j;
    char *copy = harness_copy(name);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 128) *c = '?';
    j = json_string(copy);
    harness_free(copy);
    return j;
}

int harness__utf8(const char *text)
{
    json_t *j = json_string(text); /* NULL where it is not */
    json_decref(j);
    return j != NULL;
}
