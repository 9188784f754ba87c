/* SPDX-License-Identifier: MIT */
/* Tests whether this machine computes correctly. */
#ifndef AG_HARNESS_SELFTEST_H
#define AG_HARNESS_SELFTEST_H

#include "augur.h"

typedef struct harness_selftest {
    const char *name; /* a short description of the computation */
    double error;     /* largest difference from double, relative to the sum of the terms' sizes */
    double bound; /* largest error that rounding explains; more is a fault of the machine or of the
                     build */
} harness_selftest;

enum { HARNESS_SELFTESTS = 2 };

/* A matrix product and a sum over the neighbours in a graph, on the tape's device, against the same
   in double on this thread. Fails as a run of the tape does. */
ag_status harness_selftest_run(harness_selftest result[HARNESS_SELFTESTS], ag_tape *tape,
                               ag_failure *why);

#endif
