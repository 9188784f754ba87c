/* SPDX-License-Identifier: MIT */
/* Chooses the micro-kernels for this processor. */
#include "core/tile.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The best set that this processor has, no better than `most`. */
static const ag_tiles *best(const char *most)
{
#if defined(__x86_64__) && !defined(AG_DOUBLE)
    const int sse2 = !strcmp(most, "sse2"), avx2 = !strcmp(most, "avx2");
    if (!sse2 && !avx2 && __builtin_cpu_supports("avx512f")) return &ag__tiles_avx512;
    if (!sse2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &ag__tiles_avx2;
#endif
    (void)most;
    return &ag__tiles_base;
}

const ag_tiles *ag__tiles(void)
{
    static _Atomic(const ag_tiles *) chosen;
    const ag_tiles *set = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (set) return set;
    const char *most = getenv("AUGUR_ISA");
    set = best(most ? most : "");
    atomic_store_explicit(&chosen, set, memory_order_relaxed);
    return set;
}

const char *ag_isa(void) { return ag__tiles()->name; }
