/* SPDX-License-Identifier: MIT */
/* A tape on the test's device, of its own for each test: RUN_TESTS_EACH(tape_make, tape_drop, ...).
 */
#ifndef AG_TESTS_TAPE_H
#define AG_TESTS_TAPE_H

#include "autograd/autograd.h"
#include "device.h"

static ag_tape *tape;

static inline int tape_make(void **state) { return !(tape = ag_tape_new(test_device())); }

static inline int tape_drop(void **state)
{
    ag_tape_free(tape);
    return 0;
}

#endif
