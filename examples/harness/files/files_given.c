/* SPDX-License-Identifier: MIT */
/* The files that options name: each is listed once, and those that were trained on are found. */
#define _GNU_SOURCE
#include "examples/harness/files/files.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/base/names.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- files that are named twice ---- */

/* Drops repeated files from `from` on, keeping the first. Returns how many were repeated; *first is
   one of them. */
static int drop_repeated(harness_files *paths, int from, const char **first)
{
    harness_name_at *met = NULL;
    const int all = paths->count;
    int files = 0;
    map_owns(met);
    paths->count = from;
    for (int i = from; i < all; i++) {
        char *path = paths->path[i], real[PATH_MAX]; /* without symbolic links and dots */
        const char *key = realpath(path, real) ? real : path;
        const int at = map_find(met, key);
        if (at < 0) {
            map_add(met, key, paths->count);
            paths->path[paths->count++] = path;
            continue;
        }
        if (met[at].value >= 0 && !files++) *first = paths->path[met[at].value];
        met[at].value = -1; /* counted */
        harness_free(path);
    }
    map_free(met);
    return files;
}

ag_status harness_files_read(harness_files *paths, const harness_paths *given, const char *option,
                             ag_failure *why)
{
    const int from = paths->count;
    const char *first = NULL;
    for (int i = 0; i < given->count; i++)
        if (harness_files_add(paths, given->list[i], why)) return why->status;
    const int files = drop_repeated(paths, from, &first);
    if (option && files == 1)
        harness_warn("--%s names %s more than once; it counts once", option, first);
    else if (option && files)
        harness_warn("--%s names %d files more than once, %s among them; each counts once", option,
                     files, first);
    return AG_OK;
}

/* ---- files that were trained on ---- */

void harness_files_recall(harness_files *paths, const char *configuration)
{
    json_t *run = harness_json_loads(configuration, NULL);
    const json_t *data = json_object_get(run, "data");
    for (size_t i = 0; i < json_array_size(data); i++) {
        const char *name = json_string_value(json_array_get(data, i));
        ag_failure gone = {0};
        if (name && harness_files_add(paths, name, &gone)) harness_files_name(paths, name);
    }
    json_decref(run);
}

void harness_files_warn_trained(const char *option, char *const *path, int count,
                                char *const *trained, int trained_count)
{
    harness_name_at *names = NULL;
    const char *first = NULL;
    int files = 0;
    for (int i = 0; i < trained_count; i++) map_add(names, harness_files_base(trained[i]), 0);
    for (int i = 0; i < count; i++)
        if (map_find(names, harness_files_base(path[i])) >= 0 && !files++) first = path[i];
    map_free(names);
    if (files == 1)
        harness_warn("--%s: a file with the name of %s was trained on; its scores may say little "
                     "about others",
                     option, first);
    else if (files)
        harness_warn("--%s: %d files, %s among them, have the names of files that were trained on; "
                     "their scores may say little about others",
                     option, files, first);
}

/* ---- names in results: as short as tells files apart ---- */

void harness_files_name(harness_files *paths, const char *path)
{
    paths->path = harness_grow(paths->path, ((size_t)paths->count + 1) * sizeof *paths->path);
    paths->path[paths->count++] = harness_copy(path);
}

typedef struct tail {
    const char *from, *path;
    int index;
} tail;

/* One folder more; the whole path when there is no other. */
static const char *one_more(const char *from, const char *path)
{
    while (from > path && from[-1] == '/') from--;
    while (from > path && from[-1] != '/') from--;
    return from;
}

static int by_tail(const void *a, const void *b)
{
    const tail *x = a, *y = b;
    const int order = strcmp(x->from, y->from);
    return order ? order : x->index - y->index;
}

/* Lengthens equal tails of different paths. Returns whether there were any. */
static int lengthen(tail *all, int count)
{
    int any = 0;
    qsort(all, (size_t)count, sizeof *all, by_tail);
    for (int first = 0, end; first < count; first = end) {
        int differ = 0;
        for (end = first; end < count && !strcmp(all[end].from, all[first].from); end++)
            differ |= strcmp(all[end].path, all[first].path) != 0;
        for (int i = first; differ && i < end; i++)
            all[i].from = one_more(all[i].from, all[i].path);
        any |= differ;
    }
    return any;
}

char **harness_files_names(ag_arena **arena, char *const *path, int count, const char *end)
{
    char **name = harness_take(arena, (size_t)count * sizeof *name);
    tail *all = HARNESS_NEW(all, count);
    for (int i = 0; i < count; i++) all[i] = (tail){harness_files_base(path[i]), path[i], i};
    while (lengthen(all, count)) continue;
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(all[i].from), cut = strlen(end);
        const bool has = length > cut && !strcmp(all[i].from + length - cut, end);
        char *to = name[all[i].index] = harness_take(arena, length + 1);
        memcpy(to, all[i].from, has ? length - cut : length);
    }
    harness_free(all);
    return name;
}
