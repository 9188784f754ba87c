/* SPDX-License-Identifier: MIT */
/* Measures the configurations of a program or the kernels of its fusions. */
#include "examples/lab/collect/configs.h"

#include "examples/harness/harness.h"

typedef struct chosen {
    const lab_configs *of;
    const int *which;
    lab_run **kernel; /* of a fusion, compiled */
    lab_run *run;     /* of the configuration that is prepared */
} chosen;

static ag_status prepare(void *state, int i, ag_failure *why)
{
    chosen *c = state;
    const lab_configs *x = c->of;
    const size_t at = (size_t)(c->which ? c->which[i] : i);
    c->run = x->fusion ? c->kernel[i] : x->run;
    if (x->fusion) return AG_OK;
    if (x->tile) return lab_run_tile(x->run, x->tile[at], why);
    return lab_run_layout(x->run, x->rows + at * (size_t)x->nodes, x->rule, why);
}

static void go(void *state) { lab_run_go(((chosen *)state)->run); }

/* A single node that cannot be tiled runs in the same way as in a program. */
static lab_run *compiled(const lab_program *kernel, ag_failure *why)
{
    lab_run *run = lab_run_new(kernel);
    if (lab_fusible(kernel))
        lab_run_tile(run, NULL, why);
    else
        lab_run_layout(run, NULL, TPUGRAPHS_BY_STRIDES, why);
    return run;
}

ag_status lab_configs_measure(lab_meter *meter, lab_timing *timing, lab_configs *x,
                              const int *which, int count, ag_failure *why)
{
    chosen c = {.of = x, .which = which};
    const lab_subject subject = {&c, prepare, go, lab_probe, lab_now};
    const int kernels = x->fusion ? count : 0;
    c.kernel = HARNESS_NEW(c.kernel, kernels);
    for (int i = 0; i < kernels; i++)
        c.kernel[i] = compiled(&x->fusion->kernel[which ? which[i] : i], why);
    if (!x->fusion && !x->run) x->run = lab_run_new(x->program);
    lab_measure(meter, timing, &subject, count, why);
    for (int i = 0; i < kernels; i++) lab_run_free(c.kernel[i]);
    harness_free(c.kernel);
    return why->status;
}
