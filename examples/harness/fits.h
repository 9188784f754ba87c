/* SPDX-License-Identifier: MIT */
/* Work that has no room on a device: how much of it would have. */
#ifndef AG_HARNESS_FITS_H
#define AG_HARNESS_FITS_H

#include "autograd/autograd.h"
#include "examples/harness/harness.h"

/* What a run of a tape works on: so many configurations, or whatever a program has. */
typedef struct harness_portion {
    const char *what;    /* "configurations" */
    const char *options; /* that make them fewer: "--configs" */
    int count;
    int training; /* 1: with gradients */
    void *user;
    /* Records the work with the first `count` of them; it is planned, and never run. NULL when that
       fails; a portion without this function is only told of. */
    ag_tensor *(*record)(void *user, ag_tape *tape, int count, ag_failure *why);
} harness_portion;

/* Puts the failure of a tape's run into `why`, after `where` ("step 3, alexnet"). If the work had
   no room on a device, the sentence has the bytes that it needs, those that are free, and the
   largest count that fits; the tape's record is then lost. Returns the tape's status. */
ag_status harness_run_failed(const harness_portion *portion, ag_tape *tape, const char *where,
                             ag_failure *why);

#endif
