/* SPDX-License-Identifier: MIT */
/* The device that tests run on: AUGUR_TEST_DEVICE=cuda names it, else it is the CPU. The oracle in
   double is always there. */
#ifndef AG_TESTS_DEVICE_H
#define AG_TESTS_DEVICE_H

#include "core/core.h"

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

#endif
