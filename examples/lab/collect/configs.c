/* SPDX-License-Identifier: MIT */
#include "examples/lab/collect/configs.h"

typedef struct chosen {
    lab_configs *of;
    const int *which;
} chosen;

static ag_status prepare(void *state, int i, ag_failure *why)
{
    const chosen *c = state;
    const lab_configs *x = c->of;
    if (x->tile) return lab_run_tile(x->run, x->tile[c->which[i]], why);
    return lab_run_layout(x->run, x->rows + (size_t)c->which[i] * (size_t)x->nodes, why);
}

static void go(void *state) { lab_run_go(((chosen *)state)->of->run); }

ag_status lab_configs_measure(lab_meter *meter, lab_timing *timing, lab_configs *x,
                              const int *which, int count, ag_failure *why)
{
    chosen c = {x, which};
    const lab_subject subject = lab_real_subject(&c, prepare, go);
    if (x->fusion) return lab_fusion_measure(meter, timing, x->fusion, which, count, why);
    if (!x->run) {
        if (lab_run_new(&x->run, x->program, why)) return why->status;
        lab_run_rule(x->run, x->rule);
    }
    return lab_measure(meter, timing, &subject, count, why);
}
