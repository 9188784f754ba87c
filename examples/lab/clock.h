/* SPDX-License-Identifier: MIT */
/* The clock, the core and the fixed piece of work that measurements share. */
#ifndef LAB_CLOCK_H
#define LAB_CLOCK_H

#include "core/core.h"

#define LAB_CLOCK_NAME "CLOCK_MONOTONIC_RAW"

/* Nanoseconds of a clock that only goes forward and that nobody adjusts. */
int64_t lab_now(void);

/* Keeps the calling thread on one core; -1: on the last one that it may use. Returns the core, -1
   when the system refuses. */
int lab_pin(int core);

/* Fails with AG_EUSE when the calling thread may not run on this core (--core), with those on which
   it may; -1 is right. */
ag_status lab_core_check(int core, ag_failure *why);

/* About 10 us of arithmetic in the innermost cache: the same work each time, so that a longer
   time means that something else had the core. */
void lab_probe(void);

#endif
