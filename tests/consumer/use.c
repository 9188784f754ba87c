/* SPDX-License-Identifier: MIT */
/* A program outside of the project, in C and (use.cpp) in C++, that sees what users see. */
#include <augur.h>
#include <stdio.h>

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
    ag_tape_free(tape);
    printf("the sum is %g\n", (double)result);
    return result == 64 ? 0 : 2; /* 1 + 20 + 3 + 40 */
}
