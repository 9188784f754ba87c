/* SPDX-License-Identifier: MIT */
/* `lab fusion`: the run times of kernels from random partitions of a program. */
#include "examples/lab/collect/collect.h"
#include "examples/lab/fusion/fusion.h"

#include <jansson.h>
#include <string.h>

typedef struct kernels {
    lab_fusion fusion;
    lab_timing *timing;
    int n; /* measured: the first n, those of whole partitions */
} kernels;

static ag_status measure(lab_collection *c, kernels *k, const char *name, ag_failure *why)
{
    int which[LAB_BATCH], units = 0;
    k->timing = harness_alloc(((size_t)k->fusion.n + 1) * sizeof *k->timing);
    while (k->n < k->fusion.n && !c->meter.stopped && !why->status) {
        const int left = k->fusion.n - k->n, take = left < LAB_BATCH ? left : LAB_BATCH;
        if (lab_fusion_within(&k->fusion, k->n) && lab_collect_late(c, 0)) break;
        for (int i = 0; i < take; i++) which[i] = k->n + i;
        if (lab_fusion_measure(&c->meter, k->timing + k->n, &k->fusion, which, take, why)) break;
        k->n += take;
        const int reached = (int)((int64_t)c->s->partitions * k->n / k->fusion.n);
        lab_collect_step(c, reached - units, name);
        units = reached;
    }
    return why->status;
}

/* Drops kernels of partitions that were not measured completely. */
static void cut(kernels *k)
{
    lab_fusion *f = &k->fusion;
    f->partitions = lab_fusion_within(f, k->n);
    f->parts = f->offset[f->partitions];
    k->n = 0;
    for (int i = 0; i < f->parts; i++)
        if (f->part[i] >= k->n) k->n = f->part[i] + 1;
}

static ag_status measure_again(lab_collection *c, kernels *k, lab_sheet *sheet, ag_failure *why)
{
    int which[LAB_AGAIN];
    lab_timing timing[LAB_AGAIN];
    const int n = lab_again_pick(which, k->n, (uint64_t)c->s->seed);
    if (!lab_fusion_measure(&c->meter, timing, &k->fusion, which, n, why) && !c->meter.stopped)
        lab_sheet_again(sheet, which, timing, n);
    return why->status;
}

static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    kernels k = {.n = 0};
    lab_sheet sheet = {.before = c->meter.counts};
    int dropped;
    if (!lab_fusion_draw(&k.fusion, p, c->s->partitions, (uint64_t)c->s->seed, why) &&
        !measure(c, &k, p->name, why) && !c->meter.stopped) {
        cut(&k);
        sheet.timing = k.timing;
        sheet.n = k.n;
        if (k.n > 0 && !measure_again(c, &k, &sheet, why) && !c->meter.stopped) {
            sheet.after = c->meter.counts;
            json_t *facts = lab_sheet_facts(&sheet, c->s->noise, &dropped);
            json_object_del(facts, "repeat_spreads_e4"); /* they are in the file */
            json_object_set_new(facts, "family", json_string(p->family));
            json_object_set_new(facts, "seed", json_integer(c->s->seed));
            json_object_set_new(facts, "partitions", json_integer(k.fusion.partitions));
            lab_manifest_file(c->folder, p->name, p->name, facts);
            c->dropped += dropped;
            c->files += !dropped;
            if (!dropped && !lab_save_text(c->folder, p->name, p, why))
                lab_fusion_write(c->folder, p->name, &k.fusion, k.timing, k.n, why);
        }
    }
    lab_fusion_clear(&k.fusion);
    harness_free(k.timing);
    return why->status;
}

ag_status lab_fusion_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    const lab_collector kind = {"fusion", {NULL}, s->partitions, collect};
    return lab_collect(&kind, s, why);
}
