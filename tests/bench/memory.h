/* SPDX-License-Identifier: MIT */
/* Resident memory of this process, as the kernel counts it. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

double bench_resident(void);  /* bytes now; 0 if /proc does not say */
double bench_peak(void);      /* bytes at most, since bench_forget_peak */
void bench_forget_peak(void); /* resets the kernel's record of the peak */

/* Threads that wait for work spin for a while: they get the time to fall asleep. */
void bench_pause(void);

#endif
