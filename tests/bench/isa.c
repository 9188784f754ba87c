/* SPDX-License-Identifier: MIT */
#include "isa.h"

#include "core/tile.h"

#include <string.h>

bench_isa bench_isa_compiled(void)
{
#if defined(__AVX512F__)
    return BENCH_AVX512;
#elif defined(__AVX2__) && defined(__FMA__)
    return BENCH_AVX2;
#else
    return BENCH_OTHER;
#endif
}

bench_isa bench_isa_used(void)
{
    const char *name = ag__tiles()->name;
    return !strcmp(name, "avx512") ? BENCH_AVX512
           : !strcmp(name, "avx2") ? BENCH_AVX2
                                   : BENCH_OTHER;
}

bench_isa bench_isa_of_processor(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return BENCH_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return BENCH_AVX2;
#endif
    return BENCH_OTHER;
}

const char *bench_isa_name(bench_isa isa)
{
    static const char *const name[] = {"other", "AVX2", "AVX-512"};
    return name[isa];
}
