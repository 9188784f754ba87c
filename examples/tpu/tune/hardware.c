/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getaffinity */
#include "examples/tpu/tune/hardware.h"

#include "examples/harness/harness.h"
#include "examples/lab/measure/clock.h"
#include "examples/lab/run/run.h"

#include <sched.h>

ag_status tune_hardware_open(tune_hardware *h, int core, double minutes, ag_failure *why)
{
    *h = (tune_hardware){.meter = lab_meter_new(lab_measure_defaults()), .core = core};
    h->meter.stop_on_signal = 1;
    if (minutes > 0) h->meter.deadline = harness_seconds() + 60 * minutes;
    return lab_core_check(core, why);
}

void tune_hardware_close(tune_hardware *h) { lab_meter_free(&h->meter); }

int tune_hardware_late(const tune_hardware *h)
{
    return harness_interrupted() ||
           (h->meter.deadline > 0 && harness_seconds() > h->meter.deadline);
}

/* Returns whether the affinity can be restored to `before`. */
static int hold(tune_hardware *h, cpu_set_t *before)
{
    const int known = !sched_getaffinity(0, sizeof *before, before);
    if (known && lab_pin(h->core) >= 0) return 1;
    if (!h->free)
        harness_warn("the system does not let the program stay on one core; expect more noise");
    h->free = 1;
    return known;
}

typedef struct tiles {
    lab_run *run;
    int (*tile)[24];
    const int *which;
} tiles;

static ag_status prepare(void *state, int i, ag_failure *why)
{
    tiles *t = state;
    return lab_run_tile(t->run, t->tile[t->which[i]], why);
}

static void go(void *state) { lab_run_go(((tiles *)state)->run); }

ag_status tune_hardware_kernels(tune_hardware *h, double *ns, const lab_fusion *kernels,
                                ag_failure *why)
{
    cpu_set_t before;
    const size_t n = (size_t)kernels->n;
    lab_timing *timing = harness_alloc(n * sizeof *timing + 1);
    int *all = harness_alloc(n * sizeof *all + 1);
    for (int i = 0; i < kernels->n; i++) all[i] = i;
    const int held = hold(h, &before);
    lab_fusion_measure(&h->meter, timing, kernels, all, kernels->n, why);
    if (held) sched_setaffinity(0, sizeof before, &before);
    for (int i = 0; i < kernels->n; i++) ns[i] = (double)timing[i].ns;
    harness_free(timing);
    harness_free(all);
    return why->status;
}

ag_status tune_hardware_tiles(tune_hardware *h, double *ns, const lab_program *kernel,
                              int (*tile)[24], const int *which, int count, ag_failure *why)
{
    cpu_set_t before;
    tiles t = {.tile = tile, .which = which};
    lab_timing *timing = harness_alloc((size_t)count * sizeof *timing + 1);
    const int held = hold(h, &before);
    const lab_subject subject = lab_real_subject(&t, prepare, go);
    if (!lab_run_new(&t.run, kernel, why)) lab_measure(&h->meter, timing, &subject, count, why);
    lab_run_free(t.run);
    if (held) sched_setaffinity(0, sizeof before, &before);
    for (int i = 0; i < count; i++) ns[i] = (double)timing[i].ns;
    harness_free(timing);
    return why->status;
}
