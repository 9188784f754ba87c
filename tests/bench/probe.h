/* SPDX-License-Identifier: MIT */
/* What this machine can do, measured in the same run: the units of the floor. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

double bench_now(void);      /* seconds */
double bench_fma_rate(void); /* floating-point operations per second, all threads, registers only */
double
bench_memory_rate(void); /* bytes per second (read and written) of a copy of 64 MiB, all threads */

#endif
