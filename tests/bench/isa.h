/* SPDX-License-Identifier: MIT */
/* Which instructions this bench, and the library in it, were compiled for. */
#ifndef BENCH_ISA_H
#define BENCH_ISA_H

typedef enum bench_isa { BENCH_OTHER, BENCH_AVX2, BENCH_AVX512 } bench_isa;

bench_isa bench_isa_compiled(void);
/* The instruction set of the library: the one that it was compiled for, since it has no dispatch.
   The floors are those of the FMA probe, which has the same width. */
bench_isa bench_isa_used(void);
bench_isa bench_isa_of_processor(void);    /* the widest that this machine has */
const char *bench_isa_name(bench_isa isa); /* "AVX-512", "AVX2", "other" */

#endif
