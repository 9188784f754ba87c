/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getaffinity */
#include "examples/tpu/tune/hardware.h"

#include "examples/harness/harness.h"
#include "examples/lab/measure/clock.h"

#include <sched.h>

ag_status tune_hardware_open(tune_hardware *h, int core, double minutes, ag_failure *why)
{
    *h = (tune_hardware){.meter = lab_meter_new(lab_measure_defaults()), .core = core};
    if (minutes > 0) h->meter.deadline = harness_seconds() + 60 * minutes;
    return lab_core_check(core, why);
}

void tune_hardware_close(tune_hardware *h) { lab_meter_free(&h->meter); }

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

ag_status tune_hardware_measure(tune_hardware *h, double *ns, lab_configs *configs,
                                const int *which, int count, int *stop, ag_failure *why)
{
    cpu_set_t before;
    lab_timing *timing = harness_alloc((size_t)count * sizeof *timing + 1);
    int *all = harness_alloc((size_t)count * sizeof *all + 1);
    for (int i = 0; i < count; i++) all[i] = which ? which[i] : i;
    const int held = hold(h, &before);
    lab_configs_measure(&h->meter, timing, configs, all, count, why);
    lab_run_free(configs->run);
    if (held) sched_setaffinity(0, sizeof before, &before);
    for (int i = 0; i < count; i++) ns[i] = (double)timing[i].ns;
    harness_free(timing);
    harness_free(all);
    *stop = h->meter.stopped || lab_meter_late(&h->meter);
    return why->status;
}
