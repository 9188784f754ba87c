/* SPDX-License-Identifier: MIT */
/* The list that paths are gathered in. */
#include "core/core.h"
#include "examples/harness/files/files.h"

#include <string.h>

enum { LONGEST_NAME = 160 }; /* of a path in a sentence */

const char *harness_files_short(const char *path)
{
    size_t length = strlen(path);
    return length > LONGEST_NAME ? path + (length - LONGEST_NAME) : path;
}

const char *harness_files_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

ag_status harness_files_no_memory(const char *name, size_t bytes, ag_failure *why)
{
    return ag_fail(why, AG_EMEMORY,
                   "%s: no memory for %zu bytes; close other programs or lower --ram-limit", name,
                   bytes);
}

ag_status harness_files_name(harness_files *paths, const char *path, ag_failure *why)
{
    size_t length = strlen(path) + 1, bytes = ((size_t)paths->count + 1) * sizeof *paths->path;
    char *copy = ag_alloc(length);
    char **grown = copy ? ag_grow(paths->path, bytes) : NULL;
    if (!grown) {
        ag_free(copy);
        return harness_files_no_memory(harness_files_short(path), bytes, why);
    }
    memcpy(copy, path, length);
    paths->path = grown;
    paths->path[paths->count++] = copy;
    return AG_OK;
}

void harness_files_free(harness_files *paths)
{
    for (int i = 0; i < paths->count; i++) ag_free(paths->path[i]);
    ag_free(paths->path);
    *paths = (harness_files){0};
}
