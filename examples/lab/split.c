/* SPDX-License-Identifier: MIT */
/* `lab split`: assigns files to training, validation and test. All files of a program, or in the
   second split of a family, are on the same side. */
#include "core/io/io.h"
#include "examples/harness/run/bag.h"
#include "examples/lab/measure/folders.h"
#include "examples/lab/lab.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct entry {
    char *path; /* below the folder that was named */
    const char *unit;
    uint64_t draw; /* of the unit */
} entry;

static int by_draw(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->draw != y->draw) return x->draw < y->draw ? -1 : 1;
    const int unit = strcmp(x->unit, y->unit);
    return unit ? unit : strcmp(x->path, y->path);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The unit that a file belongs to. A net and its training step are one family, since they share
   layers. */
static const char *unit_of(const json_t *facts, const char *unit)
{
    static const char training[] = "train_";
    const char *name = json_string_value(json_object_get(facts, unit));
    if (!name) return "";
    const int step = !strcmp(unit, "family") && !strncmp(name, training, sizeof training - 1);
    return step ? name + sizeof training - 1 : name;
}

/* A unit's place is a hash of its name, so that it keeps its side when more units are collected. */
static entry *entries(const lab_folders *folders, const char *root, const char *unit, int64_t seed)
{
    entry *list = NULL;
    const char *name;
    json_t *facts;
    const size_t skip = strlen(root) + 1;
    for (int i = 0; i < folders->count; i++)
        json_object_foreach(json_object_get(folders->list[i]->root, "files"), name, facts)
        {
            if (json_is_true(json_object_get(facts, "dropped"))) continue;
            entry e = {lab_manifest_path(folders->list[i], name, ".npz"), unit_of(facts, unit), 0};
            memmove(e.path, e.path + skip, strlen(e.path + skip) + 1);
            e.draw = XXH3_64bits_withSeed(e.unit, strlen(e.unit), (XXH64_hash_t)seed);
            bag_add(list, e);
        }
    if (list) qsort(list, (size_t)bag_count(list), sizeof *list, by_draw);
    return list;
}

static ag_status print_lines(FILE *file, void *lines)
{
    char **list = lines;
    for (int i = 0; i < bag_count(list); i++) fprintf(file, "%s\n", list[i]);
    return AG_OK;
}

static ag_status save_part(const char *root, const char *split, const char *part, char **lines,
                           ag_failure *why)
{
    char *path = harness_text("%s/split-%s.%s.txt", root, split, part);
    if (lines) qsort(lines, (size_t)bag_count(lines), sizeof *lines, by_path);
    ag_save_file(path, print_lines, lines, why);
    harness_free(path);
    return why->status;
}

static int count_units(const entry *list)
{
    int n = 0;
    for (int i = 0; i < bag_count(list); i++) n += !i || strcmp(list[i].unit, list[i - 1].unit);
    return n;
}

/* The number of units of a part, at least one if the part is wanted. */
static int share(int units, double part)
{
    const int n = (int)lround(units * part);
    return part > 0 && n < 1 ? 1 : n;
}

static ag_status split(const lab_folders *folders, const char *root, const lab_settings *s,
                       const char *name, const char *unit, ag_failure *why)
{
    static const char *const parts[3] = {"valid", "test", "train"};
    entry *list = entries(folders, root, unit, s->seed);
    char **lines[3] = {0};
    const int units = count_units(list), valid = share(units, s->valid),
              test = share(units, s->test);
    int seen = 0, sizes[3] = {0};
    if (valid + test >= units)
        ag_fail(why, AG_EDATA,
                "%.200s: its files are of %d %s, of which %d would validate and %d test, and none "
                "would train; collect more, or lower --valid and --test",
                root, units, strcmp(unit, "family") ? "programs" : "families", valid, test);
    for (int i = 0; i < bag_count(list) && !why->status; i++) {
        const int fresh = !i || strcmp(list[i].unit, list[i - 1].unit);
        seen += fresh;
        const int part = seen <= valid ? 0 : seen <= valid + test ? 1 : 2;
        sizes[part] += fresh;
        bag_add(lines[part], list[i].path);
    }
    for (int k = 0; k < 3 && !why->status; k++) save_part(root, name, parts[k], lines[k], why);
    if (!why->status)
        printf("split-%s: train %d %s (%d files), valid %d (%d), test %d (%d)\n", name, sizes[2],
               strcmp(unit, "family") ? "programs" : "families", bag_count(lines[2]), sizes[0],
               bag_count(lines[0]), sizes[1], bag_count(lines[1]));
    for (int i = 0; i < bag_count(list); i++) harness_free(list[i].path);
    for (int k = 0; k < 3; k++) bag_free(lines[k]);
    bag_free(list);
    return why->status;
}

ag_status lab_split_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    for (int i = 0; i < s->folders.count && !why->status; i++) {
        lab_folders folders;
        char *root = harness_copy(s->folders.list[i]);
        harness_paths one = {(const char **)&root, 1};
        for (size_t n = strlen(root); n > 1 && root[n - 1] == '/'; n--) root[n - 1] = 0;
        if (!lab_folders_load(&folders, &one, why) &&
            !split(&folders, root, s, "random", "program", why))
            split(&folders, root, s, "family", "family", why);
        lab_folders_free(&folders);
        harness_free(root);
    }
    return why->status;
}
