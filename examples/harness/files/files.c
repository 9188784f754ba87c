/* SPDX-License-Identifier: MIT */
/* PATH arguments: a file, every .npz below a folder in an order that does not depend on the disk,
   or the paths that a list (.txt) names. */
#define _GNU_SOURCE
#include "examples/harness/files/files.h"

#include "core/error.h"
#include "core/io/io.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/base/names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, DEEPEST = 32, MOST_ENTRIES = 1000000 }; /* below the folder given */

typedef struct search {
    harness_files *paths;
    harness_name_at *visited; /* folders by device and inode, since links may lead to one in many
                                 ways; 1: the search is in it */
    int64_t entries;
} search;

static int ends(const char *name, const char *how)
{
    const size_t length = strlen(name), end = strlen(how);
    return length > end && !strcmp(name + length - end, how);
}

static ag_status add_folder(search *s, const char *path, const struct stat *info, int depth,
                            ag_failure *why);

static ag_status add_entry(search *s, const char *folder, const char *path, int depth,
                           ag_failure *why)
{
    struct stat info;
    if (strlen(path) >= PATH_BYTES)
        return ag_fail(why, AG_EFILE,
                       "%s: a path below it is longer than %d bytes; move the folder up",
                       harness_files_short(folder), PATH_BYTES - 1);
    if (++s->entries > MOST_ENTRIES)
        return ag_fail(why, AG_EFILE,
                       "%s: more than %d files and folders were searched until here; name "
                       "only the folder of the data",
                       harness_files_short(folder), MOST_ENTRIES);
    if (stat(path, &info)) return AG_OK; /* a dangling link */
    if (S_ISDIR(info.st_mode)) return add_folder(s, path, &info, depth + 1, why);
    if (S_ISREG(info.st_mode) && ends(path, ".npz")) harness_files_name(s->paths, path);
    return AG_OK;
}

/* Skips the folder itself, its parent and hidden files. */
static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* Entries are added in the order of their names: by which of several links a folder is reached
   first does not depend on the disk. */
static ag_status add_entries(search *s, const char *path, int depth, ag_failure *why)
{
    struct dirent **list;
    const int n = scandir(path, &list, is_shown, alphasort);
    if (n < 0)
        return ag_fail(why, AG_EFILE, "%s: the folder cannot be read: %s",
                       harness_files_short(path), strerror(errno));
    for (int i = 0; i < n; i++) {
        char *below = harness_text("%s/%s", path, list[i]->d_name);
        if (!why->status) add_entry(s, path, below, depth, why);
        harness_free(below);
        free(list[i]);
    }
    free(list);
    return why->status;
}

static ag_status add_folder(search *s, const char *path, const struct stat *info, int depth,
                            ag_failure *why)
{
    if (depth > DEEPEST)
        return ag_fail(why, AG_EFILE,
                       "%s: lies more than %d folders deep; name a folder further down",
                       harness_files_short(path), DEEPEST);
    char key[40];
    snprintf(key, sizeof key, "%llx:%llx", (unsigned long long)info->st_dev,
             (unsigned long long)info->st_ino);
    const int found = map_find(s->visited, key);
    if (found >= 0 && s->visited[found].value)
        return ag_fail(why, AG_EFILE,
                       "%s: a link leads back to a folder above, so the folders form a circle; "
                       "remove the link, or name the folder of the data",
                       harness_files_short(path));
    if (found >= 0) return AG_OK; /* its files are already listed under another name */
    map_add(s->visited, key, 1);
    add_entries(s, path, depth, why);
    map_add(s->visited, key, 0);
    return why->status;
}

/* A line of a list, relative to the folder of the list. */
static ag_status add_line(harness_files *paths, const char *list, int number, const char *line,
                          ag_failure *why)
{
    char path[PATH_BYTES];
    const char *slash = strrchr(list, '/');
    const int folder = *line != '/' && slash ? (int)(slash + 1 - list) : 0;
    if (!*line || *line == '#') return AG_OK;
    if (snprintf(path, sizeof path, "%.*s%s", folder, list, line) >= (int)sizeof path)
        return ag_fail(why, AG_EFILE, "%s, line %d: the path is longer than %zu bytes; move it up",
                       harness_files_short(list), number, sizeof path - 1);
    if (ends(line, ".txt"))
        return ag_fail(why, AG_EFILE, "%s, line %d: a list cannot name another list, %s",
                       harness_files_short(list), number, harness_files_short(line));
    return harness_files_add(paths, path, why);
}

/* Paths, one a line; empty lines and those that begin with # are passed over. */
static ag_status add_list(harness_files *paths, const char *path, ag_failure *why)
{
    const char *mistaken = ag_file_mistaken(path);
    if (mistaken) return ag_fail(why, AG_EDATA, "%s %s", harness_files_short(path), mistaken);
    FILE *list = fopen(path, "r");
    char line[PATH_BYTES];
    const int before = paths->count;
    if (!list)
        return ag_fail(why, AG_EFILE, "%s: the list cannot be read: %s", harness_files_short(path),
                       strerror(errno));
    for (int number = 1; !why->status && fgets(line, sizeof line, list); number++) {
        const size_t length = strcspn(line, "\r\n");
        if (length + 1 == sizeof line)
            ag_fail(why, AG_EFILE, "%s, line %d is longer than %zu bytes; is this a list of paths?",
                    harness_files_short(path), number, sizeof line - 2);
        line[length] = 0;
        if (!why->status) add_line(paths, path, number, line, why);
    }
    fclose(list);
    if (!why->status && paths->count == before)
        return ag_fail(why, AG_EFILE, "%s: the list names no file", harness_files_short(path));
    return why->status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

ag_status harness_files_add(harness_files *paths, const char *path, ag_failure *why)
{
    struct stat info;
    int before = paths->count;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    if (length >= PATH_BYTES || stat(path, &info))
        return ag_fail(why, AG_EFILE, "%s: there is no such file or folder: %s",
                       harness_files_short(path),
                       strerror(length >= PATH_BYTES ? ENAMETOOLONG : errno));
    if (S_ISREG(info.st_mode) && ends(path, ".txt")) return add_list(paths, path, why);
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode))
        return ag_fail(why, AG_EFILE,
                       "%s: it is a device or a pipe, not a file or a folder; name one of these",
                       harness_files_short(path));
    if (!S_ISDIR(info.st_mode)) {
        harness_files_name(paths, path);
        return AG_OK;
    }
    search s = {.paths = paths};
    map_owns(s.visited);
    add_folder(&s, harness_format("%.*s", (int)length, path), &info, 0, why);
    map_free(s.visited);
    if (why->status) return why->status;
    if (paths->count == before)
        return ag_fail(why, AG_EFILE, "%s: there is no .npz file in this folder or below it",
                       harness_files_short(path));
    qsort(paths->path + before, (size_t)(paths->count - before), sizeof *paths->path, by_name);
    return AG_OK;
}
