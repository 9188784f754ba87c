/* SPDX-License-Identifier: MIT */
/* The device that a call computes on: its choice, its name, and a tape on it. */
#ifndef AG_HARNESS_DEVICE_H
#define AG_HARNESS_DEVICE_H

#include "autograd/autograd.h"
#include "examples/harness/cli/options.h"

/* Values of --device; the first two are those of ag_device. */
enum { HARNESS_ON_CPU, HARNESS_ON_CUDA, HARNESS_ON_ANY };

/* auto: CUDA where a device opens, else the CPU. */
ag_device harness_device(int wanted);
const char *harness_device_word(ag_device device); /* the word of --device: "cpu" */

/* A tape on the device and with the precision of the options. A first product runs there, so that a
   device that cannot compute fails before anything is read or made. With auto, the choice is
   reported. NULL: AG_EDEVICE, AG_EMEMORY, AG_EUSE for tf32 on the CPU. */
ag_tape *harness_tape_new(const harness_common *common, ag_failure *why);

/* Puts the failure of a tape's run into `why`, after `where` ("step 3, alexnet"). fewer: the
   options that make the work smaller, for the sentence that it did not fit on the device; NULL: not
   known. Returns the tape's status. */
ag_status harness_run_failed(const ag_tape *tape, const char *where, const char *fewer,
                             ag_failure *why);
/* The same for scores; name: what is scored. */
ag_status harness_scoring_failed(const ag_tape *tape, const char *name, const char *fewer,
                                 ag_failure *why);

/* Adds "device" and "device_name" to config.json, and "precision" if the device is CUDA. */
void harness_device_to_config(struct json_t *config, const harness_options *options);

/* Warns if the run in `folder` began on another device or in another precision than it continues
   with: the results then belong to neither. Two CPUs cause no warning. */
void harness_device_changed(const char *folder, const harness_options *options);

/* A sentence for the report: the device that computed the run in `folder`. */
const char *harness_device_report(const char *folder, const harness_options *options);

#endif
