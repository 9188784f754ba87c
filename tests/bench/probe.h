/* SPDX-License-Identifier: MIT */
/* The limits of this machine, measured in the same run: the units of the floor. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stddef.h>

double bench_now(void); /* seconds */

/* Probes that take no time and are worth nothing. */
void bench_quick_probes(void);

/* Floating-point operations per second, all threads, registers only. */
double bench_fma_rate(void);

/* Bytes per second (read and written) of a memcpy of 64 MiB, all threads. */
double bench_memory_rate(void);

/* Seconds of a plain loop that reads bytes / 2 and writes bytes / 2, all threads, from memory: the
   caches are emptied first. Ops that move as many bytes are compared with it. */
double bench_copy(size_t bytes);

#endif
