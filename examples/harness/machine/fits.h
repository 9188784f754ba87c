/* SPDX-License-Identifier: MIT */
/* For work that does not fit on a device: how much of it would. */
#ifndef AG_HARNESS_FITS_H
#define AG_HARNESS_FITS_H

#include "autograd/autograd.h"
#include "examples/harness/harness.h"

/* The work of a run of a tape, in units that can be reduced: configurations, or whatever a program
   has. */
typedef struct harness_portion {
    const char *what;    /* "configurations" */
    const char *options; /* the options that reduce them: "--configs" */
    int count;
    int training; /* 1: with gradients */
    void *user;
    /* Records the work with the first `count` of them; it is planned, and never run. NULL when that
       fails. Without this function only `what` is reported. */
    ag_tensor *(*record)(void *user, ag_tape *tape, int count, ag_failure *why);
} harness_portion;

/* Puts the failure of a tape's run into `why`, after `where` ("step 3, alexnet"). If the work did
   not fit on a device, the sentence has the bytes that it needs, the free bytes, and the largest
   count that fits; the tape's record is then lost. Returns the tape's status. */
ag_status harness_run_failed(const harness_portion *portion, ag_tape *tape, const char *where,
                             ag_failure *why);
/* The same for scores; name: what is scored. */
ag_status harness_scoring_failed(const harness_portion *portion, ag_tape *tape, const char *name,
                                 ag_failure *why);

#endif
