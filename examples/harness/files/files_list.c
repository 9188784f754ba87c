/* SPDX-License-Identifier: MIT */
/* Lists of paths. */
#include "examples/harness/files/files.h"
#include "core/error.h"
#include "examples/harness/base/base.h"

#include <string.h>
#include <sys/stat.h>

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

bool harness_files_is(const char *path, const struct stat *file)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_dev == file->st_dev && about.st_ino == file->st_ino;
}

ag_status harness_files_no_memory(const char *name, size_t bytes, ag_failure *why)
{
    return ag_fail(why, AG_EMEMORY,
                   "%s: no memory for %zu bytes; close other programs or lower --ram-limit", name,
                   bytes);
}

void harness_files_free(harness_files *paths)
{
    for (int i = 0; i < paths->count; i++) harness_free(paths->path[i]);
    harness_free(paths->path);
    *paths = (harness_files){0};
}
