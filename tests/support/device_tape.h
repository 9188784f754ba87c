/* SPDX-License-Identifier: MIT */
/* Shared by the tests of tapes on a device. Each test has a tape and parameters of its own, and
   `data` as they were. */
#ifndef AG_TESTS_DEVICE_TAPE_H
#define AG_TESTS_DEVICE_TAPE_H

#include "test.h"
#include "augur.h"
#include "autograd/tape.h"
#include "core/cuda/device.h"
#include "cuda_on_host/include/cuda_on_host.h"
#include "tape.h"

#include <math.h>

/* Only of the host execution: NULL on a GPU. */
extern cuda_on_host_counts cuda_on_host_count(void) __attribute__((weak));
extern void cuda_on_host_fail(const char *name, int error, int nth) __attribute__((weak));

static float data[4000];
static ag_params *params;
static ag_param *weight; /* [10,100], all 0.5 */

static inline void expect(const char *have, const char *part)
{
    if (!strstr(have, part)) fail_msg("\"%s\" lacks \"%s\"", have, part);
}

static inline ag_tensor *input(ag_tape *tape) { return ag_input(tape, data, AG_SHAPE(10, 100)); }

static inline ag_tensor *chain(ag_tensor *x, int n)
{
    for (int i = 0; i < n; i++) x = ag_tanh(x);
    return x;
}

static inline ag_params *one_parameter(ag_param **w, ag_device device)
{
    ag_params *params = ag_params_new();
    *w = ag_params_add(params, "w", AG_SHAPE(10, 100), ag_init_constant(0.5), 1);
    assert_int_equal(ag_params_build(params, 0), AG_OK);
    assert_int_equal(ag_params_to(params, device, NULL), AG_OK);
    return params;
}

/* The table of ag_profile_print. */
static inline const char *profile_of(ag_tape *tape)
{
    FILE *file = tmpfile();
    ag_profile_print(tape, file);
    return text_of(file);
}

/* Runs tests that need a device. */
#define run_there(...)                                                                        \
 (test_device() == AG_CPU                                                                     \
      ? (print_message("There is no device to test; AUGUR_TEST_DEVICE=cuda names one.\n"), 0) \
      : RUN_TESTS_EACH(bed_make, bed_drop, __VA_ARGS__))

static int bed_make(void **state)
{
    for (int i = 0; i < 4000; i++) data[i] = (float)((i * 37 % 101) - 50) / 64;
    params = one_parameter(&weight, test_device());
    return tape_make(state);
}

static int bed_drop(void **state)
{
    tape_drop(state);
    ag_params_free(params);
    return 0;
}

#endif
