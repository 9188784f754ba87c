/* SPDX-License-Identifier: MIT */
/* Resident memory of this process, as the kernel counts it. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

double bench_resident(void);  /* bytes now; 0 where /proc does not tell */
double bench_peak(void);      /* bytes at most, since bench_forget_peak */
void bench_forget_peak(void); /* the kernel's record of the peak begins anew */

/* Threads that wait for work spin for a while: they get the time to fall asleep. */
void bench_pause(void);

#endif
