/* SPDX-License-Identifier: MIT */
#include "examples/tpu/tune/map.h"

#include "examples/harness/harness.h"

typedef struct tune_entry {
    uint64_t key;
    int value, used;
} tune_entry;

/* The slot of a key, or the free slot for it; the keys are hashes already. */
static tune_entry *place_of(const tune_map *map, uint64_t key)
{
    int at = (int)(key & (uint64_t)(map->room - 1));
    while (map->entry[at].used && map->entry[at].key != key) at = (at + 1) & (map->room - 1);
    return &map->entry[at];
}

int tune_map_find(const tune_map *map, uint64_t key, int absent)
{
    const tune_entry *e = map->room ? place_of(map, key) : NULL;
    return e && e->used ? e->value : absent;
}

static void grow(tune_map *map)
{
    const tune_map old = *map;
    const int room = old.room ? 2 * old.room : 64;
    *map = (tune_map){harness_alloc((size_t)room * sizeof *map->entry), 0, room};
    for (int i = 0; i < old.room; i++)
        if (old.entry[i].used) tune_map_put(map, old.entry[i].key, old.entry[i].value);
    harness_free(old.entry);
}

void tune_map_put(tune_map *map, uint64_t key, int value)
{
    if (2 * map->count >= map->room) grow(map);
    *place_of(map, key) = (tune_entry){key, value, 1};
    map->count++;
}

void tune_map_free(tune_map *map)
{
    harness_free(map->entry);
    *map = (tune_map){0};
}
