/* SPDX-License-Identifier: MIT */
/* `lab fusion`: the run times of kernels from random partitions of a program. */
#include "examples/lab/collect/collect.h"

#include <jansson.h>

static ag_status measure(lab_collection *c, lab_sheet *x, const char *name, ag_failure *why)
{
    const lab_fusion *f = x->configs.fusion;
    while (x->n < f->n && !c->meter.stopped && !why->status) {
        if (lab_fusion_within(f, x->n) && lab_collect_late(c, 0)) break;
        lab_sheet_more(c, x, f->n - x->n, why);
        lab_collect_note(c, name);
    }
    return why->status;
}

/* Counts the partitions in which each of n kernels occurs. */
static int64_t *count_partitions(ag_arena **memory, const lab_fusion *f, int n)
{
    int64_t *count = harness_take(memory, (size_t)n * sizeof *count);
    int64_t *last = harness_take(memory, (size_t)n * sizeof *last);
    for (int q = 0; q < f->partitions; q++)
        for (int64_t i = f->offset[q]; i < f->offset[q + 1]; i++) {
            count[f->part[i]] += last[f->part[i]] != q + 1;
            last[f->part[i]] = q + 1;
        }
    return count;
}

/* Drops kernels of partitions that were not measured completely. */
static void cut(lab_fusion *f, lab_sheet *x)
{
    f->partitions = lab_fusion_within(f, x->n);
    x->n = 0;
    for (int64_t i = 0; i < f->offset[f->partitions]; i++)
        if (f->part[i] >= x->n) x->n = (int)f->part[i] + 1;
}

static ag_status add(ag_npz_writer *w, lab_sheet *x, ag_failure *why)
{
    const lab_fusion *f = x->configs.fusion;
    const int64_t n = x->n, ends = f->partitions + 1, parts = f->offset[f->partitions];
    const int64_t *in = count_partitions(&x->memory, f, x->n);
    float *spread = harness_take(&x->memory, (size_t)n * sizeof *spread);
    for (int64_t i = 0; i < n; i++) spread[i] = (float)x->timing[i].spread;
    if (!ag_npz_add(w, "kernel_runtime", AG_I64, 1, &n, lab_sheet_times(x), why) &&
        !ag_npz_add(w, "kernel_spread", AG_F32, 1, &n, spread, why) &&
        !ag_npz_add(w, "kernel_partitions", AG_I64, 1, &n, in, why) &&
        !ag_npz_add(w, "kernel_hash", AG_I64, 1, &n, f->hash, why) &&
        !ag_npz_add(w, "partition_offset", AG_I64, 1, &ends, f->offset, why))
        ag_npz_add(w, "partition_kernel", AG_I64, 1, &parts, f->part, why);
    return lab_sheet_end(w, why);
}

static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    lab_fusion f;
    lab_fusion_draw(&f, p, c->s->partitions, (uint64_t)c->s->seed);
    lab_sheet x = lab_sheet_new(c, (lab_configs){.program = p, .fusion = &f}, f.n);
    if (!measure(c, &x, p->name, why) && !c->meter.stopped) cut(&f, &x);
    if (!why->status && !c->meter.stopped && x.n > 0) {
        ag_npz_writer *w = lab_sheet_file(
            c, &x, p->name,
            json_pack("{sI si}", "seed", (json_int_t)c->s->seed, "partitions", f.partitions), why);
        if (w) add(w, &x, why);
    }
    lab_sheet_clear(&x);
    lab_fusion_clear(&f);
    return why->status;
}

ag_status lab_fusion_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    lab_collection c = {.s = s,
                        .kind = "fusion",
                        .options = json_pack("{si}", "partitions", s->partitions),
                        .collect = collect};
    return lab_collect(&c, why);
}
