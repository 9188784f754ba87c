/* SPDX-License-Identifier: MIT */
/* Text as JSON. */
#include "examples/harness/base/base.h"

#include "core/io/io.h"

#include <jansson.h>
#include <string.h>

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
