/* SPDX-License-Identifier: MIT */
/* The names of files in results: as short as tells them apart. */
#include "examples/harness/files/files.h"
#include "examples/harness/harness.h"

#include <stdlib.h>
#include <string.h>

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

void harness_files_names(char **name, char *const *path, int count, const char *end)
{
    tail *all = harness_alloc((size_t)count * sizeof *all + 1);
    for (int i = 0; i < count; i++) all[i] = (tail){harness_files_base(path[i]), path[i], i};
    while (lengthen(all, count)) continue;
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(all[i].from), cut = strlen(end);
        const int has = length > cut && !strcmp(all[i].from + length - cut, end);
        name[all[i].index] = harness_text("%.*s", (int)(has ? length - cut : length), all[i].from);
    }
    harness_free(all);
}
