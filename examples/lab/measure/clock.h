/* SPDX-License-Identifier: MIT */
/* The clock, the core and the fixed piece of work that measurements share. */
#ifndef LAB_CLOCK_H
#define LAB_CLOCK_H

#include "core/types.h"

#define LAB_CLOCK_NAME "CLOCK_MONOTONIC_RAW"

/* Nanoseconds of a monotonic clock that is never adjusted. */
int64_t lab_now(void);

/* Binds the calling thread to one core; -1: to the last one that it may use. Returns the core, or
   -1 when the system refuses. */
int lab_pin(int core);

/* Fails with AG_EUSE when the calling thread may not run on this core (--core); the sentence lists
   the cores on which it may. -1 is always right. */
ag_status lab_core_check(int core, ag_failure *why);

/* About 10 us of arithmetic in the innermost cache: the same work each time, so a longer time means
   that something else used the core. */
void lab_probe(void);

#endif
