/* SPDX-License-Identifier: MIT */
/* Arenas: memory that is freed as a whole. */
#define _GNU_SOURCE /* madvise */
#include "core/internal.h"
#include "core/memory.h"

#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define POISON 1
# endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(POISON)
# include <sanitizer/asan_interface.h>
#else
# define ASAN_POISON_MEMORY_REGION(at, n)   ((void)(at), (void)(n))
# define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#endif

/* In debug builds a block is [mark: its size][the block][guard bytes up to the next mark]. */
#ifdef NDEBUG
enum { MARK = 0, GUARD = 0 };
#else
enum { MARK = 64, GUARD = 16, GUARD_BYTE = 0xA5 };
#endif

enum { ALIGN = 64, FIRST_SLAB = 64 << 10, HUGE_PAGE = 2 << 20, LAST_DOUBLING = 64 << 20 };

typedef struct slab {
    struct slab *next;
    char *base;
    size_t size, used;
} slab;

struct ag_arena {
    slab *first, *current; /* slabs after current are empty */
};

static size_t round_up(size_t n, size_t to) { return ag_size_add(n, to - 1) / to * to; }

ag_arena *ag_arena_new(void)
{
    ag_arena *arena = ag_alloc(sizeof *arena);
    if (arena) *arena = (ag_arena){0};
    return arena;
}

static slab *slab_new(size_t size)
{
    size_t align = size >= HUGE_PAGE ? HUGE_PAGE : ALIGN;
    size = round_up(size, align);
    char *block = ag_alloc(ag_size_add(size, sizeof(slab) + align));
    if (!block) return NULL;
    slab *s = (slab *)(void *)block;
    char *base = block + sizeof *s;
    base += (align - (uintptr_t)base % align) % align;
    *s = (slab){.base = base, .size = size};
#ifdef MADV_HUGEPAGE
    if (align == HUGE_PAGE)
        madvise(base, size, MADV_HUGEPAGE); /* advice: a refusal costs only speed */
#endif
    ASAN_POISON_MEMORY_REGION(base, size);
    return s;
}

/* The next slab that holds `bytes`: one that a reset kept, or a new one of twice the last size. A
   kept slab that is too small is passed over, and the next reset frees it. */
static slab *next_slab(ag_arena *arena, size_t bytes)
{
    slab *last = arena->current;
    for (slab *s = last ? last->next : arena->first; s; s = s->next) {
        last = s;
        if (s->size >= bytes) return s;
    }
    size_t size = FIRST_SLAB;
    if (last) size = last->size < LAST_DOUBLING / 2 ? 2 * last->size : LAST_DOUBLING;
    slab *s = slab_new(size > bytes ? size : bytes);
    if (!s) return NULL;
    if (last)
        last->next = s;
    else
        arena->first = s;
    return s;
}

void *ag_arena_take(ag_arena *arena, size_t bytes)
{
    if (!arena || bytes > PTRDIFF_MAX / 4) return NULL;
    size_t total = round_up(MARK + (bytes ? bytes : 1) + GUARD, ALIGN);
    slab *s = arena->current;
    if (!s || s->size - s->used < total) {
        s = next_slab(arena, total);
        if (!s) return NULL;
        arena->current = s;
    }
    char *at = s->base + s->used;
    s->used += total;
    ASAN_UNPOISON_MEMORY_REGION(at, total);
#ifndef NDEBUG
    memset(at, GUARD_BYTE, MARK);
    memcpy(at, &bytes, sizeof bytes);
    memset(at + MARK + bytes, GUARD_BYTE, total - MARK - bytes);
#endif
    return at + MARK;
}

static void slab_free(slab *s)
{
    ASAN_UNPOISON_MEMORY_REGION(s->base, s->size);
    ag_free(s);
}

/* Frees the slabs that were passed over, or arrays that grow from step to step would keep all their
   sizes. */
static void drop_small(ag_arena *arena)
{
    for (slab **at = &arena->first, *s; (s = *at) && s != arena->current;) {
        if (s->used) {
            at = &s->next;
        } else {
            *at = s->next;
            slab_free(s);
        }
    }
}

void ag_arena_reset(ag_arena *arena)
{
    if (!arena) return;
    if (arena->current) drop_small(arena);
    for (slab *s = arena->first; s; s = s->next) {
        s->used = 0;
        ASAN_POISON_MEMORY_REGION(s->base, s->size);
    }
    arena->current = arena->first;
}

size_t ag_arena_bytes(const ag_arena *arena)
{
    size_t bytes = 0;
    for (const slab *s = arena ? arena->first : NULL; s; s = s->next) bytes += s->size;
    return bytes;
}

#ifdef NDEBUG
int ag_arena_intact(const ag_arena *arena) { return arena != NULL; }
#else
static int guarded(const char *from, const char *to)
{
    while (from < to)
        if ((unsigned char)*from++ != GUARD_BYTE) return 0;
    return 1;
}

/* Walks mark to mark: a size is trusted only after the guard before it was found whole. */
static int slab_intact(const slab *s)
{
    for (size_t at = 0; at < s->used;) {
        const char *mark = s->base + at;
        size_t bytes;
        memcpy(&bytes, mark, sizeof bytes);
        if (bytes > s->used - at) return 0;
        size_t total = round_up(MARK + (bytes ? bytes : 1) + GUARD, ALIGN);
        if (total > s->used - at || !guarded(mark + sizeof bytes, mark + MARK)) return 0;
        if (!guarded(mark + MARK + bytes, mark + total)) return 0;
        at += total;
    }
    return 1;
}

int ag_arena_intact(const ag_arena *arena)
{
    if (!arena) return 0;
    for (const slab *s = arena->first; s; s = s->next)
        if (!slab_intact(s)) return 0;
    return 1;
}
#endif

void ag_arena_free(ag_arena *arena)
{
    if (!arena) return;
    for (slab *s = arena->first, *next; s; s = next) {
        next = s->next;
        slab_free(s);
    }
    ag_free(arena);
}
