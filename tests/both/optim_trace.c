/* SPDX-License-Identifier: MIT */
/* Pieces of the optimizer tests that run in float and in double. */
#include "support/device.h"

#include <math.h>

void ag__trace_adam(double out[10][6], int decoupled);
void ag__trace_sgd(double out[10][6], double momentum, int nesterov);
ag_status ag__save_third(const char *path);
ag_status ag__load_third(double *third, const char *path, ag_failure *why);

/* Ten steps on w (decay 0.2) and b (no decay), of AdamW, Adam or, with its options, SGD; the script
 * in tests/optim/test_optim.c does the same with PyTorch. */
static void trace(double out[10][6], int decoupled, const ag_sgd *sgd)
{
    static const double start[6] = {0.5, -1.25, 2.0, 0.0, 0.75, -0.3};
    const ag_adamw options = {0.9, 0.99, 1e-6, 0.2};
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(4), ag_init_constant(0), 1);
    ag_param *b = ag_params_add(params, "b", AG_SHAPE(2), ag_init_constant(0), 0);
    if (ag_params_build(params, 1) != AG_OK) return;
    for (int i = 0; i < 4; i++) w->value[i] = (ag_real)start[i];
    for (int i = 0; i < 2; i++) b->value[i] = (ag_real)start[4 + i];
    for (int t = 0; t < 10; t++) {
        for (int i = 0; i < 4; i++) w->gradient[i] = (ag_real)(2 * sin(1.0 + t + 3 * i));
        for (int i = 0; i < 2; i++) b->gradient[i] = (ag_real)cos(0.5 * t + i);
        params->state = AG_READY;
        if (sgd)
            sgd_there(params, sgd, 0.1 / (1 + t), NULL);
        else if (decoupled)
            step_there(params, &options, 0.1 / (1 + t), NULL);
        else
            adam_there(params, &options, 0.1 / (1 + t), NULL);
        for (int i = 0; i < 4; i++) out[t][i] = (double)w->value[i];
        for (int i = 0; i < 2; i++) out[t][4 + i] = (double)b->value[i];
    }
    ag_params_free(params);
}

void ag__trace_adam(double out[10][6], int decoupled) { trace(out, decoupled, NULL); }

void ag__trace_sgd(double out[10][6], double momentum, int nesterov)
{
    trace(out, 0, &(ag_sgd){.momentum = momentum, .decay = 0.2, .nesterov = nesterov});
}

static ag_params *one_weight(double value)
{
    ag_params *params = ag_params_new();
    ag_params_add(params, "w", AG_SHAPE(1), ag_init_constant(value), 1);
    ag_params_build(params, 0);
    return params;
}

/* Saves one parameter w = 1/3. */
ag_status ag__save_third(const char *path)
{
    ag_params *params = one_weight(1.0 / 3);
    ag_status status = ag_params_save(path, params, 1, NULL, 0, NULL, 0, NULL);
    ag_params_free(params);
    return status;
}

/* Loads it again. */
ag_status ag__load_third(double *third, const char *path, ag_failure *why)
{
    ag_params *params = one_weight(0);
    ag_checkpoint *c = ag_checkpoint_open(path, why);
    ag_status status = c ? ag_params_load(params, c, 1, why) : AG_EFILE;
    *third = (double)params->list[0]->value[0];
    ag_checkpoint_close(c);
    ag_params_free(params);
    return status;
}
