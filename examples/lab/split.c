/* SPDX-License-Identifier: MIT */
/* `lab split`: assigns files to training, validation and test. All files of a program, or in the
   second split of a family, are on the same side. */
#include "core/io/io.h"
#include "core/error.h"
#include "examples/harness/base/bag.h"
#include "examples/lab/lab.h"
#include "examples/lab/measure/manifest.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { VALID, TEST, TRAIN, PARTS };

typedef struct entry {
    const char *path; /* below the folder that was named */
    const char *unit;
    uint64_t draw; /* of the unit */
    int number;    /* of the unit, in the order of the draws */
    int part;
} entry;

static int by_draw(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->draw != y->draw) return x->draw < y->draw ? -1 : 1;
    return strcmp(x->unit, y->unit);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->path, ((const entry *)b)->path);
}

/* The unit that a file belongs to. A net and its training step are one family, since they share
   layers. */
static const char *unit_of(const json_t *facts, const char *unit)
{
    const char *name = json_string_value(json_object_get(facts, unit));
    if (!name) return "";
    return !strcmp(unit, "family") && !strncmp(name, "train_", 6) ? name + 6 : name;
}

/* A unit's place is a hash of its name, so that it keeps its side when more units are collected. */
static entry *entries(lab_manifest **folders, size_t root, const char *unit, int64_t seed)
{
    entry *list = NULL;
    const char *name;
    json_t *facts;
    for (int i = 0; i < bag_count(folders); i++)
        json_object_foreach(json_object_get(folders[i]->root, "files"), name, facts)
        {
            if (json_is_true(json_object_get(facts, "dropped"))) continue;
            const char *path = lab_manifest_path(folders[i], name, ".npz");
            entry e = {.path = path + root + 1, .unit = unit_of(facts, unit)};
            e.draw = XXH3_64bits_withSeed(e.unit, strlen(e.unit), (XXH64_hash_t)seed);
            bag_add(list, e);
        }
    if (list) qsort(list, (size_t)bag_count(list), sizeof *list, by_draw);
    for (int i = 1; i < bag_count(list); i++)
        list[i].number = list[i - 1].number + (strcmp(list[i].unit, list[i - 1].unit) != 0);
    return list;
}

/* The lines of a part, sorted. */
typedef struct part {
    const entry *list;
    int which;
} part;

static ag_status print_lines(FILE *file, void *context)
{
    const part *p = context;
    for (int i = 0; i < bag_count(p->list); i++)
        if (p->list[i].part == p->which) fprintf(file, "%s\n", p->list[i].path);
    return AG_OK;
}

/* The number of units of a part, at least one if the part is wanted. */
static int share(int units, double part)
{
    const int n = (int)lround(units * part);
    return part > 0 && n < 1 ? 1 : n;
}

static ag_status split(lab_manifest **folders, const char *root, const lab_settings *s,
                       const char *name, const char *unit, const char *units, ag_failure *why)
{
    static const char *const parts[PARTS] = {"valid", "test", "train"};
    entry *list = entries(folders, strlen(root), unit, s->seed);
    int files[PARTS] = {0};
    const int n = list ? list[bag_count(list) - 1].number + 1 : 0;
    const int valid = share(n, s->valid), test = share(n, s->test);
    if (valid + test >= n)
        ag_fail(why, AG_EDATA,
                "%.200s: its files are of %d %s, of which %d would validate and %d test, and none "
                "would train; collect more, or lower --valid and --test",
                root, n, units, valid, test);
    for (int i = 0; i < bag_count(list); i++) {
        const int number = list[i].number;
        list[i].part = number < valid ? VALID : number < valid + test ? TEST : TRAIN;
        files[list[i].part]++;
    }
    if (list) qsort(list, (size_t)bag_count(list), sizeof *list, by_path);
    for (int k = 0; k < PARTS && !why->status; k++) {
        const char *path = harness_format("%s/split-%s.%s.txt", root, name, parts[k]);
        ag_save_file(path, print_lines, &(part){list, k}, why);
    }
    if (!why->status)
        printf("split-%s: train %d %s (%d files), valid %d (%d), test %d (%d)\n", name,
               n - valid - test, units, files[TRAIN], valid, files[VALID], test, files[TEST]);
    bag_free(list);
    return why->status;
}

ag_status lab_split_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    for (int i = 0; i < s->folders.count && !why->status; i++) {
        char *root = harness_format("%s", s->folders.list[i]);
        for (size_t n = strlen(root); n > 1 && root[n - 1] == '/'; n--) root[n - 1] = 0;
        lab_manifest **folders = lab_manifests_load(&(harness_paths){(const char **)&root, 1}, why);
        if (!why->status && !split(folders, root, s, "random", "program", "programs", why))
            split(folders, root, s, "family", "family", "families", why);
        lab_manifests_free(folders);
    }
    return why->status;
}
