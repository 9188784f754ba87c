/* SPDX-License-Identifier: MIT */
/* The device that tests run on: AUGUR_TEST_DEVICE=cuda names it, else it is the CPU. The oracle in
   double is always there. */
#ifndef AG_TESTS_DEVICE_H
#define AG_TESTS_DEVICE_H

#include "optim/optim.h"

#include <stdlib.h>
#include <string.h>

static inline ag_device test_device(void)
{
#ifdef AG_DOUBLE
    return AG_CPU;
#else
    const char *name = getenv("AUGUR_TEST_DEVICE");
    return name && strcmp(name, "cuda") == 0 ? AG_CUDA : AG_CPU;
#endif
}

/* Copies the arrays that a test has written on the host to the device, runs a step or clipping
   there, and reads the arrays back. */
static inline ag_status read_back(ag_params *params, ag_status status)
{
    ag_params_to(params, AG_CPU, NULL);
    return status;
}

static inline ag_status step_there(ag_params *params, const ag_adamw *o, double lr, ag_failure *why)
{
    ag_params_to(params, test_device(), NULL);
    return read_back(params, ag_adamw_step(params, o, lr, why));
}

static inline ag_status adam_there(ag_params *params, const ag_adam *o, double lr, ag_failure *why)
{
    ag_params_to(params, test_device(), NULL);
    return read_back(params, ag_adam_step(params, o, lr, why));
}

static inline ag_status sgd_there(ag_params *params, const ag_sgd *o, double lr, ag_failure *why)
{
    ag_params_to(params, test_device(), NULL);
    return read_back(params, ag_sgd_step(params, o, lr, why));
}

static inline ag_status clip_there(ag_params *params, double most, double *norm, ag_failure *why)
{
    double unwanted; /* waits, so that values that are not finite are found at once */
    ag_params_to(params, test_device(), NULL);
    return read_back(params, ag_clip_norm(params, most, norm ? norm : &unwanted, why));
}

#endif
