/* SPDX-License-Identifier: MIT */
/* An op next to a composition of other ops that gives the same: values, and the gradients of a sum
   that weighs every element differently. */
#ifndef AG_TESTS_COMPOSED_H
#define AG_TESTS_COMPOSED_H

#include "test.h"
#include "augur.h"
#include "device.h"

enum { COMPOSED_MOST = 8 };

/* Of the parameters, in their order. */
typedef ag_tensor *expression(ag_tensor *const *p);

/* Returns the values, *n of them, to be freed (test_free); leaves gradients on the CPU. */
static inline float *composed_run(expression *f, ag_params *params, ag_device device, int64_t *n)
{
    ag_tensor *p[COMPOSED_MOST];
    ag_tape *tape = ag_tape_new(device);
    ag_params_reset(params);
    assert_int_equal(ag_params_to(params, device, NULL), AG_OK);
    for (int i = 0; i < params->count; i++) p[i] = ag_parameter(tape, params->list[i]);
    ag_tensor *v = ag_keep(f(p));
    *n = ag_shape_count(ag_shape_of(v));
    float *weights = test_malloc((size_t)(*n + 1) * sizeof *weights),
          *y = test_malloc((size_t)(*n + 1) * sizeof *y);
    for (int64_t i = 0; i < *n; i++) weights[i] = (float)(i * 29 % 31 - 15) / 8;
    ag_backward(ag_sum_all(ag_mul(v, ag_input(tape, weights, ag_shape_of(v)))));
    assert_string_equal(ag_error(tape), "");
    memcpy(y, ag_values(v), (size_t)*n * sizeof *y);
    assert_int_equal(ag_params_to(params, AG_CPU, NULL), AG_OK);
    ag_tape_free(tape);
    test_free(weights);
    return y;
}

static inline void composed_near(const char *op, const char *what, const float *have,
                                 const float *want, int64_t n, float tolerance)
{
    float most = 1;
    for (int64_t i = 0; i < n; i++) most = fmaxf(most, fabsf(want[i]));
    for (int64_t i = 0; i < n; i++)
        if (!(fabsf(have[i] - want[i]) <= tolerance * most))
            fail_msg("%s, %s %d: %.8g, composed %.8g", op, what, (int)i, (double)have[i],
                     (double)want[i]);
}

/* On the test's device and composed on the CPU, to `tolerance` of the largest number of each array,
 * or of 1. */
static inline void composed_compare(const char *op, ag_params *params, expression *f,
                                    expression *plain, float tolerance)
{
    const size_t bytes = (size_t)params->size * sizeof(float);
    float *gradient = test_malloc(bytes + 1);
    int64_t n, values;
    float *y = composed_run(f, params, test_device(), &n);
    memcpy(gradient, params->gradient, bytes);
    float *want = composed_run(plain, params, AG_CPU, &values);
    assert_int_equal(n, values);
    composed_near(op, "value", y, want, n, tolerance);
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        composed_near(op, p->name, gradient + p->offset, p->gradient, p->count, tolerance);
    }
    test_free(y);
    test_free(want);
    test_free(gradient);
}

#endif
