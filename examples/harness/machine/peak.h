/* SPDX-License-Identifier: MIT */
/* The largest resident memory of the program, as Linux counts it. */
#ifndef HARNESS_PEAK_H
#define HARNESS_PEAK_H

/* Begins to count anew; harness_peak_mib is the largest since then, NaN where the system does not
   tell it. */
void harness_peak_begin(void);
double harness_peak_mib(void);

#endif
