/* SPDX-License-Identifier: MIT */
/* The command `doctor` of every program: describes this machine, and tests whether it computes
   correctly. */
#ifndef AG_HARNESS_DOCTOR_H
#define AG_HARNESS_DOCTOR_H

#include "augur.h"
#include "examples/harness/cli/program.h"

/* Prints processor, memory, threads, instruction set, the parts of CUDA that were found, and the
   self-test on the device of --device, with --json as one object. Fails: AG_EDEVICE when the device
   of --device is missing, AG_ESHAPE when the self-test is wrong. */
ag_status harness_doctor(harness_call *call, ag_failure *why);

/* The row of the table of commands. */
#define HARNESS_DOCTOR_COMMAND                                                                 \
 {                                                                                             \
  "doctor", HARNESS_DOCTOR, "describe this machine and test that it computes correctly", NULL, \
      harness_doctor                                                                           \
 }

typedef struct harness_selftest {
    const char *name; /* a short description of the computation */
    double error;     /* largest difference from double, relative to the sum of the terms' sizes */
    double bound; /* largest error that rounding explains; a larger one is a fault of the machine or
                     of the build */
} harness_selftest;

/* Computes a matrix product and a sum over the neighbours in a graph on the tape's device, and
   compares them with the same in double on this thread. Fails as a run of the tape does. */
ag_status harness_selftest_run(harness_selftest *result, ag_tape *tape, ag_failure *why);

#endif
