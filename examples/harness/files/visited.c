/* SPDX-License-Identifier: MIT */
#include "examples/harness/files/visited.h"

#include "examples/harness/run/bag.h"

/* An entry of a map, which requires these names of its members. */
struct harness_visited {
    char *key; /* "DEVICE:INODE" */
    int value; /* 1: the search is in it */
};

static char *key_of(char key[40], const struct stat *folder)
{
    snprintf(key, 40, "%llx:%llx", (unsigned long long)folder->st_dev,
             (unsigned long long)folder->st_ino);
    return key;
}

int harness_visit(harness_visited **visited, const struct stat *folder)
{
    char key[40];
    if (!*visited) map_owns(*visited);
    const int found = map_find(*visited, key_of(key, folder));
    if (found >= 0) return (*visited)[found].value ? HARNESS_VISIT_CIRCLE : HARNESS_VISIT_AGAIN;
    map_add(*visited, key, 1);
    return HARNESS_VISIT_FIRST;
}

void harness_visit_end(harness_visited *visited, const struct stat *folder)
{
    char key[40];
    map_add(visited, key_of(key, folder), 0);
}

void harness_visited_free(harness_visited *visited) { map_free(visited); }
