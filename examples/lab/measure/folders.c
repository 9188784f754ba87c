/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "examples/lab/measure/folders.h"

#include "examples/harness/files/visited.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 8 };

static ag_status add(lab_folders *f, const char *path, ag_failure *why)
{
    char *file = harness_text("%s/" LAB_MANIFEST, path);
    int there = access(file, F_OK) == 0;
    lab_manifest *m = there ? lab_manifest_load(path, why) : NULL;
    harness_free(file);
    if (!m) return why->status;
    f->list = harness_grow(f->list, ((size_t)f->count + 1) * sizeof *f->list);
    f->list[f->count++] = m;
    return AG_OK;
}

static int is_folder(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static ag_status search(lab_folders *f, harness_visited **visited, const char *path, int depth,
                        ag_failure *why)
{
    struct dirent **list;
    struct stat about;
    if (stat(path, &about) == 0 && harness_visit(visited, &about) != HARNESS_VISIT_FIRST)
        return AG_OK;
    if (add(f, path, why) || depth == DEEPEST) return why->status;
    const int n = scandir(path, &list, is_folder, alphasort);
    if (n < 0)
        return ag_fail(why, AG_EFILE, "%.200s: the folder cannot be read: %s", path,
                       strerror(errno));
    for (int i = 0; i < n; i++) {
        char *below = harness_text("%s/%s", path, list[i]->d_name);
        if (!why->status && !stat(below, &about) && S_ISDIR(about.st_mode))
            search(f, visited, below, depth + 1, why);
        harness_free(below);
        free(list[i]);
    }
    free(list);
    return why->status;
}

ag_status lab_folders_load(lab_folders *f, const harness_paths *paths, ag_failure *why)
{
    *f = (lab_folders){0};
    for (int i = 0; i < paths->count && !why->status; i++) {
        const int before = f->count;
        char *path = harness_copy(paths->list[i]);
        for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--) path[n - 1] = 0;
        harness_visited *visited = NULL;
        if (!search(f, &visited, path, 0, why) && f->count == before)
            ag_fail(why, AG_EFILE,
                    "%.200s: neither this folder nor one below it has a " LAB_MANIFEST
                    ", so it is no data set of lab",
                    path);
        harness_visited_free(visited);
        harness_free(path);
    }
    return why->status;
}

void lab_folders_free(lab_folders *f)
{
    for (int i = 0; i < f->count; i++) lab_manifest_free(f->list[i]);
    harness_free(f->list);
    *f = (lab_folders){0};
}
