/* SPDX-License-Identifier: MIT */
/* Gradients of small expressions checked in the build's precision; one op has a wrong derivative.
 */
#include "support/gradcheck_trace.h"
#include "autograd/op.h"
#include "optim/optim.h"
#include "ops/ops.h"

#include <math.h>
#include <string.h>

/* y = x^3 with a wrong derivative of 2.999 x^2. */
ELEMENTS(cube_forward, ag__elements(a->ys[0]))
{
    for (int64_t i = lo; i < hi; i++) Y(0)[i] = X(0)[i] * X(0)[i] * X(0)[i];
}
ELEMENTS(cube_backward, ag__elements(a->ys[0]))
{
    for (int64_t i = lo; i < hi; i++)
        PUT(DX, i, DY(0)[i] * (ag_real)a->attr.f[0] * X(0)[i] * X(0)[i]);
}
static const ag_op cube = {
    .name = "cube",
    .formula = "y = x^3",
    .inputs = "x",
    .shape = ag__same_shape,
    .forward = {&cube_forward_kernel},
    .backward = {&cube_backward_kernel},
    .saves = SAVE_X(0),
    .elementwise = 1,
};

typedef struct task {
    ag_param *small, *large;
    double factor; /* 3 is right */
    int fails;
} task;

static ag_tensor *build(ag_tape *tape, void *context)
{
    const task *t = context;
    const ag_attr attr = {.f = {t->factor}};
    ag_tensor *x = ag_parameter(tape, t->small);
    ag_tensor *y = ag__record1(&cube, x, &attr);
    if (t->fails) return ag_add(y, ag_parameter(tape, t->large));
    return ag_add(ag_sum_all(y), ag_mean_all(ag_tanh(ag_parameter(tape, t->large))));
}

double ag__trace_gradcheck(double factor, int fails, char where[200])
{
    ag_params *params = ag_params_new();
    task t = {.factor = factor, .fails = fails};
    t.large = ag_params_add(params, "large", AG_SHAPE(20, 30), ag_init_normal(0, 1), 1);
    t.small = ag_params_add(params, "small", AG_SHAPE(2, 3), ag_init_uniform(0.5, 1.5), 1);
    double error = (double)INFINITY;
    if (ag_params_build(params, 3) == AG_OK) {
        const size_t bytes = (size_t)params->size * sizeof(ag_real);
        ag_real *before = ag_alloc(bytes);
        memcpy(before, params->value, bytes);
        error = ag_gradcheck(build, &t, params, NULL, where);
        if (memcmp(before, params->value, bytes) != 0)
            error = (double)NAN; /* it puts the values back */
        ag_free(before);
    }
    ag_params_free(params);
    return error;
}
