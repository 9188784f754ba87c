/* SPDX-License-Identifier: MIT */
/* Finds JSON that is nested too deeply for a recursive parser. */
#include "core/io/io.h"

const char *ag_json_too_deep(const char *text, size_t bytes)
{
    int depth = 0, quoted = 0;
    for (size_t i = 0; text && i < bytes; i++) {
        const char c = text[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == ']' || c == '}'))
            depth--;
        else if (!quoted && (c == '[' || c == '{') && ++depth > AG_JSON_DEPTH)
            return text + i;
    }
    return NULL;
}
