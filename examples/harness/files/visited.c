/* SPDX-License-Identifier: MIT */
#include "examples/harness/files/visited.h"

#include "examples/harness/run/bag.h"

/* An entry of a map, which requires these names of its members. */
struct harness_visited {
    char *key; /* "DEVICE:INODE" */
    int value; /* 1: the search is in it */
};

static char *key_of(const struct stat *folder)
{
    return harness_text("%llx:%llx", (unsigned long long)folder->st_dev,
                        (unsigned long long)folder->st_ino);
}

int harness_visit(harness_visited **visited, const struct stat *folder)
{
    char *key = key_of(folder);
    const int found = map_find(*visited, key);
    if (found < 0) {
        map_add(*visited, key, 1);
        return HARNESS_VISIT_FIRST;
    }
    harness_free(key);
    return (*visited)[found].value ? HARNESS_VISIT_CIRCLE : HARNESS_VISIT_AGAIN;
}

void harness_visit_end(harness_visited *visited, const struct stat *folder)
{
    char *key = key_of(folder);
    const int found = map_find(visited, key);
    if (found >= 0) visited[found].value = 0;
    harness_free(key);
}

void harness_visited_free(harness_visited *visited)
{
    for (int i = 0; i < (int)stbds_shlen(visited); i++) harness_free(visited[i].key);
    map_free(visited);
}
