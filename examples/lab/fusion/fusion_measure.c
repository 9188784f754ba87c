/* SPDX-License-Identifier: MIT */
#include "examples/harness/harness.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/lab/run/run.h"

typedef struct runs {
    lab_run **run;
    int current;
} runs;

static ag_status prepare(void *state, int i, ag_failure *why)
{
    (void)why;
    ((runs *)state)->current = i;
    return AG_OK;
}

static void go(void *state)
{
    runs *r = state;
    lab_run_go(r->run[r->current]);
}

/* A single node that cannot be tiled runs in the same way as in a program. */
static ag_status compile(lab_run **run, const lab_program *kernel, ag_failure *why)
{
    if (lab_run_new(run, kernel, why)) return why->status;
    return lab_fusible(kernel) ? lab_run_tile(*run, NULL, why) : lab_run_layout(*run, NULL, why);
}

ag_status lab_fusion_measure(lab_meter *m, lab_timing *timing, const lab_fusion *f,
                             const int *which, int count, ag_failure *why)
{
    runs r = {harness_alloc(((size_t)count + 1) * sizeof(lab_run *)), 0};
    lab_subject subject = lab_real_subject(&r, prepare, go);
    for (int i = 0; i < count && !why->status; i++) compile(&r.run[i], &f->kernel[which[i]], why);
    if (!why->status) lab_measure(m, timing, &subject, count, why);
    for (int i = 0; i < count; i++) lab_run_free(r.run[i]);
    harness_free(r.run);
    return why->status;
}
