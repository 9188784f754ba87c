/* SPDX-License-Identifier: MIT */
/* The clock, the core and the fixed piece of work that measurements share. */
#ifndef LAB_CLOCK_H
#define LAB_CLOCK_H

#include <stdint.h>

#define LAB_CLOCK_NAME "CLOCK_MONOTONIC_RAW"

/* Nanoseconds of a clock that only goes forward and that nobody adjusts. */
int64_t lab_now(void);

/* Keeps the calling thread on one core; -1: on the last one that it may use. Returns the core, -1
   when the system refuses. */
int lab_pin(int core);

/* About 10 us of arithmetic in the innermost cache: the same work each time, so that a longer
   time means that something else had the core. */
void lab_probe(void);

#endif
