/* SPDX-License-Identifier: MIT */
/* Memory: blocks and arenas. */
#ifndef AG_CORE_MEMORY_H
#define AG_CORE_MEMORY_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates `bytes` bytes, not zeroed; free them with ag_free. NULL: no memory. The library
   allocates all of its memory with ag_alloc and ag_grow. */
AG_API void *ag_alloc(size_t bytes);
AG_API void *ag_grow(void *block, size_t bytes); /* realloc: on failure the old block stays */
AG_API void ag_free(void *block);                /* NULL is allowed */

/* An arena takes blocks, aligned to 64 bytes, from slabs. ag_arena_reset frees all blocks and keeps
   the slabs, except those that were too small for a block; ag_arena_free frees both. Slabs of 2 MiB
   and more ask for huge pages. Debug builds put guard bytes after each block. */
AG_API ag_arena *ag_arena_new(void);                       /* NULL: no memory */
AG_API void *ag_arena_take(ag_arena *arena, size_t bytes); /* not zeroed; NULL: no memory */
AG_API void ag_arena_reset(ag_arena *arena);
AG_API size_t ag_arena_bytes(const ag_arena *arena); /* bytes of all slabs */
AG_API int ag_arena_intact(
    const ag_arena *arena); /* 1 if no guard byte was overwritten (always 1 in release) */
AG_API void ag_arena_free(ag_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
