/* SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "core/internal.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_long allocations;
static atomic_long fail_at;   /* allocation number that fails; 0: none */
static atomic_int fail_after; /* 1: and all that follow */

static int allowed(void)
{
    long nth = atomic_fetch_add(&allocations, 1) + 1;
    long at = atomic_load(&fail_at);
    return at == 0 || nth < at || (nth > at && !atomic_load(&fail_after));
}

void *ag_alloc(size_t bytes) { return allowed() ? malloc(bytes ? bytes : 1) : NULL; }

void *ag_grow(void *block, size_t bytes)
{
    return allowed() ? realloc(block, bytes ? bytes : 1) : NULL;
}

void ag_free(void *block) { free(block); }

int ag__reserve(void *array, int *capacity, int n, size_t size)
{
    void **block = (void **)array;
    if (n <= *capacity) return 0;
    int wanted = *capacity ? *capacity : 16;
    while (wanted < n) wanted = wanted > INT_MAX / 2 ? INT_MAX : wanted * 2;
    void *bigger = ag_grow(*block, ag_size_mul((size_t)wanted, size));
    if (!bigger) return 1;
    *block = bigger;
    *capacity = wanted;
    return 0;
}

void ag__fail_allocation(long nth, int after)
{
    atomic_store(&fail_after, after);
    atomic_store(&fail_at, nth ? atomic_load(&allocations) + nth : 0);
}

long ag__allocations(void) { return atomic_load(&allocations); }
