/* SPDX-License-Identifier: MIT */
/* `lab fusion`: the run times of kernels from random partitions of a program. */
#include "examples/lab/collect/collect.h"

#include <jansson.h>
#include <string.h>

static ag_status measure(lab_collection *c, lab_sheet *x, const char *name, ag_failure *why)
{
    const lab_fusion *f = x->configs.fusion;
    int units = 0;
    while (x->n < f->n && !c->meter.stopped && !why->status) {
        if (lab_fusion_within(f, x->n) && lab_collect_late(c, 0)) break;
        if (lab_sheet_more(c, x, f->n - x->n, why)) break;
        const int reached = (int)((int64_t)c->s->partitions * x->n / f->n);
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
static void cut(lab_fusion *f, lab_sheet *x)
{
    f->partitions = lab_fusion_within(f, x->n);
    f->parts = f->offset[f->partitions];
    x->n = 0;
    for (int i = 0; i < f->parts; i++)
        if (f->part[i] >= x->n) x->n = f->part[i] + 1;
}

static ag_status add_times(ag_npz_writer *w, const lab_sheet *s, ag_failure *why)
{
    const lab_fusion *f = s->configs.fusion;
    const int64_t n = s->n;
    int64_t *x = harness_alloc((size_t)n * sizeof *x);
    float *spread = harness_alloc((size_t)n * sizeof *spread);
    for (int64_t i = 0; i < n; i++) x[i] = s->timing[i].ns, spread[i] = (float)s->timing[i].spread;
    if (!ag_npz_add(w, "kernel_runtime", AG_I64, 1, &n, x, why))
        ag_npz_add(w, "kernel_spread", AG_F32, 1, &n, spread, why);
    count_partitions(x, f, s->n);
    if (!why->status) ag_npz_add(w, "kernel_partitions", AG_I64, 1, &n, x, why);
    if (!why->status) ag_npz_add(w, "kernel_hash", AG_I64, 1, &n, f->hash, why);
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
    const lab_sheet *x = data;
    return add_times(w, x, why) ? why->status : add_partitions(w, x->configs.fusion, why);
}

static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    lab_fusion f;
    lab_fusion_draw(&f, p, c->s->partitions, (uint64_t)c->s->seed, why);
    lab_sheet x = lab_sheet_new(c, (lab_configs){.fusion = &f}, f.n);
    if (!why->status && !measure(c, &x, p->name, why) && !c->meter.stopped) {
        cut(&f, &x);
        const lab_result file = {p->name, p, f.kernel, x.n, add, &x};
        if (x.n > 0)
            lab_sheet_keep(
                c, &x, &file,
                json_pack("{sI si}", "seed", (json_int_t)c->s->seed, "partitions", f.partitions),
                why);
    }
    lab_sheet_clear(&x);
    lab_fusion_clear(&f);
    return why->status;
}

ag_status lab_fusion_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    const lab_collector kind = {"fusion", {NULL}, s->partitions, collect};
    return lab_collect(&kind, s, why);
}
