/* SPDX-License-Identifier: MIT */
#include <augur.h>

int main(void)
{
    const ag_real x[] = {1, 2, 3, 4, 5, 6}, target[] = {1, 2};
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(1, 3), ag_init_normal(0, 1), 1);
    ag_params_build(params, 42);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *y = ag_linear(ag_input(tape, x, AG_SHAPE(2, 3)), ag_parameter(tape, w), NULL);
    ag_tensor *loss = ag_squared_error(y, ag_input(tape, target, AG_SHAPE(2, 1)));
    ag_backward(loss);
    if (ag_failed(tape)) return puts(ag_error(tape)), 1;
    printf("loss %g, its slope along w[0] %g\n", (double)ag_item(loss), (double)w->gradient[0]);
    return 0;
}
