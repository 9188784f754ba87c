/* SPDX-License-Identifier: MIT */
/* A map from 64-bit hashes to integers. (The maps of stb_ds need typeof, which C11 lacks.) */
#ifndef TPU_TUNE_MAP_H
#define TPU_TUNE_MAP_H

#include <stdint.h>

/* Start from {0}; free with tune_map_free. */
typedef struct tune_map {
    struct tune_entry *entry; /* [room], a power of two */
    int count, room;
} tune_map;

/* The number under a key; `absent` when there is none. */
int tune_map_find(const tune_map *map, uint64_t key, int absent);
/* The key must be new. */
void tune_map_put(tune_map *map, uint64_t key, int value);
void tune_map_free(tune_map *map);

#endif
