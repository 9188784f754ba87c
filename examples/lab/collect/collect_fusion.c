/* SPDX-License-Identifier: MIT */
/* `lab fusion`: the run times of kernels from random partitions of a program. */
#include "examples/lab/collect/collect.h"

#include <jansson.h>
#include <string.h>

typedef struct kernels {
    lab_fusion fusion;
    lab_configs configs;
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
        if (lab_configs_measure(&c->meter, k->timing + k->n, &k->configs, which, take, why)) break;
        k->n += take;
        const int reached = (int)((int64_t)c->s->partitions * k->n / k->fusion.n);
        lab_collect_step(c, reached - units, name);
        units = reached;
    }
    return why->status;
}

/* Counts the partitions in which each kernel occurs. */
static void count_partitions(int64_t *count, const lab_fusion *f, int n)
{
    int *last = harness_alloc(((size_t)n + 1) * sizeof *last);
    memset(count, 0, (size_t)n * sizeof *count);
    for (int q = 0; q < f->partitions; q++)
        for (int i = f->offset[q]; i < f->offset[q + 1]; i++) {
            count[f->part[i]] += last[f->part[i]] != q + 1;
            last[f->part[i]] = q + 1;
        }
    harness_free(last);
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

static ag_status add_times(ag_npz_writer *w, const kernels *k, ag_failure *why)
{
    const int64_t n = k->n;
    int64_t *x = harness_alloc((size_t)n * sizeof *x);
    float *spread = harness_alloc((size_t)n * sizeof *spread);
    for (int64_t i = 0; i < n; i++) x[i] = k->timing[i].ns, spread[i] = (float)k->timing[i].spread;
    if (!ag_npz_add(w, "kernel_runtime", AG_I64, 1, &n, x, why))
        ag_npz_add(w, "kernel_spread", AG_F32, 1, &n, spread, why);
    count_partitions(x, &k->fusion, k->n);
    if (!why->status) ag_npz_add(w, "kernel_partitions", AG_I64, 1, &n, x, why);
    if (!why->status) ag_npz_add(w, "kernel_hash", AG_I64, 1, &n, k->fusion.hash, why);
    harness_free(x);
    harness_free(spread);
    return why->status;
}

static ag_status add_partitions(ag_npz_writer *w, const lab_fusion *f, ag_failure *why)
{
    const int64_t ends = f->partitions + 1, parts = f->parts;
    int64_t *offset = harness_alloc((size_t)ends * sizeof *offset);
    int64_t *part = harness_alloc(((size_t)parts + 1) * sizeof *part);
    for (int64_t i = 0; i < ends; i++) offset[i] = f->offset[i];
    for (int64_t i = 0; i < parts; i++) part[i] = f->part[i];
    if (!ag_npz_add(w, "partition_offset", AG_I64, 1, &ends, offset, why))
        ag_npz_add(w, "partition_kernel", AG_I64, 1, &parts, part, why);
    harness_free(offset);
    harness_free(part);
    return why->status;
}

static ag_status add(ag_npz_writer *w, const void *data, ag_failure *why)
{
    const kernels *k = data;
    return add_times(w, k, why) ? why->status : add_partitions(w, &k->fusion, why);
}

static ag_status keep(lab_collection *c, const lab_program *p, const kernels *k, lab_sheet *sheet,
                      ag_failure *why)
{
    const lab_result file = {p->name, p, k->fusion.kernel, k->n, add, k};
    json_t *facts = lab_sheet_facts(sheet, &c->meter.counts, c->s->noise);
    json_object_del(facts, "repeat_spreads_e4"); /* they are in the file */
    json_object_set_new(facts, "family", json_string(p->family));
    json_object_set_new(facts, "seed", json_integer(c->s->seed));
    json_object_set_new(facts, "partitions", json_integer(k->fusion.partitions));
    return lab_collect_keep(c, sheet, facts, &file, why);
}

static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    kernels k = {.configs = {.fusion = &k.fusion}};
    lab_sheet sheet = {.before = c->meter.counts};
    if (!lab_fusion_draw(&k.fusion, p, c->s->partitions, (uint64_t)c->s->seed, why) &&
        !measure(c, &k, p->name, why) && !c->meter.stopped) {
        cut(&k);
        sheet.timing = k.timing;
        sheet.n = k.n;
        if (k.n > 0 && !lab_sheet_again(c, &sheet, &k.configs, why) && !c->meter.stopped)
            keep(c, p, &k, &sheet, why);
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
