/* SPDX-License-Identifier: MIT */
/* The device that a call computes on: which one, its name, a tape on it. */
#ifndef AG_HARNESS_DEVICE_H
#define AG_HARNESS_DEVICE_H

#include "autograd/autograd.h"
#include "examples/harness/harness.h"

/* Values of --device; the first two are those of ag_device. */
enum { HARNESS_ON_CPU, HARNESS_ON_CUDA, HARNESS_ON_ANY };

/* auto: CUDA where a device opens, else the CPU. */
ag_device harness_device(int wanted);
const char *harness_device_word(ag_device device); /* as --device has it: "cpu" */

/* "cuda (NVIDIA H100 80GB HBM3)", "cpu (AMD EPYC 9654)"; the caller frees it (harness_free). */
char *harness_device_text(ag_device device);

/* A tape on the device that the options name, after a first product there: what the device cannot
   do at all it says before anything is read or made. auto tells which one it took. NULL:
   AG_EDEVICE, AG_EMEMORY. */
ag_tape *harness_tape_new(const harness_common *common, ag_failure *why);

/* Adds "device" and "device_name" to config.json, if the command has --device. */
void harness_device_to_config(struct json_t *config, const harness_options *options);

/* Warns when the run in `folder` was begun on another device than the one it goes on with, if one
   of them is no CPU: the results are then of neither. */
void harness_device_changed(const char *folder, const harness_options *options);

/* A sentence for the report: where the run in `folder` was computed; NULL: nobody knows. The caller
   frees it. */
char *harness_device_report(const char *folder, const harness_options *options);

#endif
