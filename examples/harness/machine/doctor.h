/* SPDX-License-Identifier: MIT */
/* The command `doctor` of every program: describes this machine, and tests whether it computes
   correctly. */
#ifndef AG_HARNESS_DOCTOR_H
#define AG_HARNESS_DOCTOR_H

#include "examples/harness/harness.h"

/* Prints processor, memory, threads, instruction set, the parts of CUDA that were found, and the
   self-test on the device of --device, with --json as one object. Fails: AG_EDEVICE when the device
   of --device is missing, AG_ESHAPE when the self-test is wrong. */
ag_status harness_doctor(harness_call *call, ag_failure *why);

/* The row of the table of commands. */
#define HARNESS_DOCTOR_COMMAND                                                              \
 {                                                                                          \
  "doctor", HARNESS_DOCTOR, "look at this machine and test that it computes rightly", NULL, \
      harness_doctor                                                                        \
 }

#endif
