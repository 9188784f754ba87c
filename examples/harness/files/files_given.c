/* SPDX-License-Identifier: MIT */
/* The files that options name: each is listed once, and those that were trained on are found. */
#define _GNU_SOURCE
#include "examples/harness/files/files.h"
#include "examples/harness/harness.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A path or name, and its index in the list. */
typedef struct known {
    char *text;
    int index;
} known;

static int by_text(const void *a, const void *b)
{
    const known *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order ? order : x->index - y->index;
}

static known *sorted(char *const *path, int count, char *(*text)(const char *path))
{
    known *all = harness_alloc((size_t)count * sizeof *all + 1);
    for (int i = 0; i < count; i++) all[i] = (known){text(path[i]), i};
    qsort(all, (size_t)count, sizeof *all, by_text);
    return all;
}

static void free_sorted(known *all, int count)
{
    for (int i = 0; i < count; i++) harness_free(all[i].text);
    harness_free(all);
}

/* ---- files that are named twice ---- */

/* The path without symbolic links and dots. */
static char *real_path(const char *path)
{
    char real[PATH_MAX];
    return harness_copy(realpath(path, real) ? real : path);
}

/* Drops repeated files, keeping the first. Returns the number of repetitions; *first is one of
   them. */
static int drop_repeated(char **path, int count, const char **first)
{
    known *all = sorted(path, count, real_path);
    int files = 0;
    for (int i = 1, kept = 0; i < count; i++) {
        if (strcmp(all[i].text, all[kept].text) != 0) {
            kept = i;
            continue;
        }
        if (i == kept + 1 && !files++) *first = path[all[kept].index];
        harness_free(path[all[i].index]);
        path[all[i].index] = NULL;
    }
    free_sorted(all, count);
    return files;
}

ag_status harness_files_read(harness_files *paths, const harness_paths *given, const char *option,
                             ag_failure *why)
{
    const int from = paths->count;
    const char *first = NULL;
    for (int i = 0; i < given->count; i++)
        if (harness_files_add(paths, given->list[i], why)) return why->status;
    const int files = drop_repeated(paths->path + from, paths->count - from, &first),
              all = paths->count;
    paths->count = from;
    for (int i = from; i < all; i++)
        if (paths->path[i]) paths->path[paths->count++] = paths->path[i];
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

static char *base_name(const char *path) { return harness_copy(harness_files_base(path)); }

static int has_text(const known *all, int count, const char *text)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(all[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(all[low].text, text) == 0;
}

void harness_files_warn_trained(const char *option, char *const *path, int count,
                                char *const *trained, int trained_count)
{
    known *all = sorted(trained, trained_count, base_name);
    const char *first = NULL;
    int files = 0;
    for (int i = 0; i < count; i++)
        if (has_text(all, trained_count, harness_files_base(path[i])) && !files++) first = path[i];
    free_sorted(all, trained_count);
    if (files == 1)
        harness_warn("--%s: a file with the name of %s was trained on; its scores may say little "
                     "about others",
                     option, first);
    else if (files)
        harness_warn("--%s: %d files, %s among them, have the names of files that were trained on; "
                     "their scores may say little about others",
                     option, files, first);
}
