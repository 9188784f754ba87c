/* SPDX-License-Identifier: MIT */
/* Growing arrays and maps for the programs' own bookkeeping (stb_ds); a failed growth ends the
   program with exit 5. */
#ifndef HARNESS_BAG_H
#define HARNESS_BAG_H

#include "examples/harness/base/base.h"

#define STBDS_NO_SHORT_NAMES
#define STBDS_REALLOC(context, block, bytes) harness_grow(block, bytes)
#define STBDS_FREE(context, block)           harness_free(block)
#include <stb/stb_ds.h>

#define bag_add(bag, item)        stbds_arrput(bag, item)
#define bag_insert(bag, at, item) stbds_arrins(bag, at, item)
#define bag_count(bag)            ((int)stbds_arrlen(bag))
#define bag_resize(bag, n)        stbds_arrsetlen(bag, n) /* keeps its memory */
#define bag_reserve(bag, n)       stbds_arrsetcap(bag, n)
#define bag_free(bag)             stbds_arrfree(bag)

/* A map from texts, which must outlive it: a pointer to struct {char *key; T value;}, at first
   NULL. map_find: the index of the entry, -1: none. After map_owns, the map has copies of its
   texts. */
#define map_owns(map)             stbds_sh_new_arena(map)
#define map_find(map, text)       ((int)stbds_shgeti(map, text))
#define map_add(map, text, value) stbds_shput(map, text, value)
#define map_free(map)             stbds_shfree(map)

#endif
