/* SPDX-License-Identifier: MIT */
#include "examples/tpu/tune/map.h"

#include "examples/harness/harness.h"

/* The slot of a key, or the free slot for it; the keys are hashes already. */
static int place_of(const tune_map *map, uint64_t key)
{
    int at = (int)(key & (uint64_t)(map->room - 1));
    while (map->used[at] && map->key[at] != key) at = (at + 1) & (map->room - 1);
    return at;
}

int tune_map_find(const tune_map *map, uint64_t key, int absent)
{
    if (!map->room) return absent;
    const int at = place_of(map, key);
    return map->used[at] ? map->value[at] : absent;
}

static void grow(tune_map *map)
{
    const tune_map old = *map;
    const size_t room = old.room ? 2 * (size_t)old.room : 64;
    map->room = (int)room;
    map->count = 0;
    map->key = harness_alloc(room * sizeof *map->key);
    map->value = harness_alloc(room * sizeof *map->value);
    map->used = harness_alloc(room);
    for (int i = 0; i < old.room; i++)
        if (old.used[i]) tune_map_put(map, old.key[i], old.value[i]);
    harness_free(old.key);
    harness_free(old.value);
    harness_free(old.used);
}

void tune_map_put(tune_map *map, uint64_t key, int value)
{
    if (2 * map->count >= map->room) grow(map);
    const int at = place_of(map, key);
    map->used[at] = 1;
    map->key[at] = key;
    map->value[at] = value;
    map->count++;
}

void tune_map_free(tune_map *map)
{
    harness_free(map->key);
    harness_free(map->value);
    harness_free(map->used);
    *map = (tune_map){0};
}
