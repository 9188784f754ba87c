/* SPDX-License-Identifier: MIT */
/* A program outside of the project, in C and (use.cpp) in C++, that sees what users see. */
#include <augur.h>
#include <stdio.h>
#include <string.h>

/* The library tells a NaN however this file is compiled. */
static int finds_nan(ag_tape *tape)
{
    const uint32_t bits = 0x7fc00000u;
    ag_real nan = 0;
    double norm = 0;
    ag_failure why;
    memcpy(&nan, &bits, sizeof bits);
    memset(&why, 0, sizeof why);
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(1), ag_init_constant(1), 1);
    ag_params_build(params, 1);
    ag_tape_reset(tape);
    ag_backward(ag_sum_all(ag_mul(ag_parameter(tape, w), ag_input(tape, &nan, AG_SHAPE(1)))));
    const ag_status status = ag_clip_norm(params, 1, &norm, &why);
    puts(why.sentence);
    ag_params_free(params);
    return status == AG_EFINITE;
}

int main(void)
{
    const ag_real a[] = {1, 2, 3, 4}, b[] = {1, 10};
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *product =
        ag_matmul(ag_input(tape, a, AG_SHAPE(2, 2)), ag_input(tape, b, AG_SHAPE(2, 1)));
    ag_tensor *sum = ag_sum_all(product);
    ag_forward(sum);
    if (ag_failed(tape)) {
        puts(ag_error(tape));
        return 1;
    }
    ag_real result = ag_item(sum);
    ag_device_about about;
    ag_device_describe(&about);
    ag_free(ag_alloc(ag_size_mul(ag_start_threads() > 0, sizeof about)));
    const int found = finds_nan(tape);
    ag_tape_free(tape);
    printf("the sum is %g\n", (double)result);
    return result != 64 ? 2 : !found; /* 1 + 20 + 3 + 40 */
}
