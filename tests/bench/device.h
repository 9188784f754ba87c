/* SPDX-License-Identifier: MIT */
/* The device that steps run on, and its limits: the units of the floor there. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "autograd/autograd.h"
#include "optim/optim.h"

#include <jansson.h>

extern ag_device bench_device;       /* from --device; the CPU by default */
extern ag_precision bench_precision; /* of --precision: that of products there */

ag_tape *bench_tape(void); /* a new one with both; NULL: no memory */

/* Opens it, or prints why it cannot. 0: ready; else the exit code. */
int bench_device_open(void);

/* Small probes that are worth nothing, as those of the CPU; always so where CUDA code runs on the
   CPU. */
void bench_device_quick(void);

/* Waits until the device has done all its work; the CPU always has. */
void bench_device_wait(void);

/* Operations per second of a product of square matrices; bytes per second (read and written) of a
   copy within the device. */
double bench_device_product_rate(void);
double bench_device_copy_rate(void);

/* Name and memory for the head of a report; a line that warns when times mean nothing. */
void bench_device_json(json_t *machine);
void bench_device_print(void);

#endif
