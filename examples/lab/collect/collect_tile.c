/* SPDX-License-Identifier: MIT */
/* `lab tile`: fused kernels under their valid tile sizes. */
#include "examples/lab/collect/collect.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

enum { PARTITIONS = 4, TILES_LEAST = 4 };

typedef struct tiles {
    lab_configs configs;
    lab_timing *timing;
    int n; /* measured */
} tiles;

/* 1 if the kernel's default tile takes long enough for a file. */
static int long_enough(const lab_collection *c, const tiles *t)
{
    return t->n == 0 || t->timing[0].ns >= c->s->least;
}

/* The default comes first, so it is there however short the time is. */
static ag_status measure(lab_collection *c, tiles *t, int count, ag_failure *why)
{
    int which[LAB_BATCH];
    t->timing = harness_alloc(((size_t)count + 1) * sizeof *t->timing);
    while (t->n < count && long_enough(c, t) && !c->meter.stopped && !why->status) {
        if (t->n >= LAB_LEAST && lab_collect_late(c, 0)) break;
        const int left = count - t->n, take = left < LAB_BATCH ? left : LAB_BATCH;
        for (int i = 0; i < take; i++) which[i] = t->n + i;
        if (lab_configs_measure(&c->meter, t->timing + t->n, &t->configs, which, take, why)) break;
        if (!c->meter.stopped) t->n += take;
    }
    return why->status;
}

static ag_status add(ag_npz_writer *w, const void *data, ag_failure *why)
{
    const tiles *t = data;
    const int64_t n = t->n;
    float *feature = harness_alloc((size_t)n * LAB_TILE * sizeof *feature);
    int64_t *ns = harness_alloc((size_t)n * sizeof *ns), *norm = harness_alloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < LAB_TILE; k++) feature[i * LAB_TILE + k] = (float)t->configs.tile[i][k];
        ns[i] = t->timing[i].ns;
        norm[i] = t->timing[0].ns;
    }
    if (!ag_npz_add(w, "config_feat", AG_F32, 2, (int64_t[]){n, LAB_TILE}, feature, why) &&
        !ag_npz_add(w, "config_runtime", AG_I64, 1, &n, ns, why))
        ag_npz_add(w, "config_runtime_normalizers", AG_I64, 1, &n, norm, why);
    harness_free(feature);
    harness_free(ns);
    harness_free(norm);
    return why->status;
}

static ag_status keep(lab_collection *c, const lab_program *p, const lab_program *kernel,
                      const tiles *t, lab_sheet *sheet, const char *hash, ag_failure *why)
{
    const lab_result file = {p->name, kernel, kernel, 1, add, t};
    json_t *facts = lab_sheet_facts(sheet, &c->meter.counts, c->s->noise);
    json_object_set_new(facts, "family", json_string(p->family));
    json_object_set_new(facts, "hash", json_string(hash));
    json_object_set_new(facts, "nodes", json_integer(kernel->n));
    json_object_set_new(facts, "default_ns", json_integer(t->timing[0].ns));
    return lab_collect_keep(c, sheet, facts, &file, why);
}

/* Returns whether the kernel was measured: it is new, has several tiles and takes long enough. */
static int one_kernel(lab_collection *c, const lab_program *p, lab_program *kernel, ag_failure *why)
{
    char hash[17];
    tiles t = {.configs = {.program = kernel}};
    lab_sheet sheet = {.before = c->meter.counts};
    snprintf(hash, sizeof hash, "%016" PRIx64, lab_kernel_hash(kernel));
    if (lab_manifest_has(c->folder, hash)) return 0;
    snprintf(kernel->name, sizeof kernel->name, "%.44s_%s", p->name, hash);
    memcpy(kernel->family, p->family, sizeof kernel->family);
    const int count = lab_tiles(&t.configs.tile, kernel, c->s->configs, (uint64_t)c->s->seed);
    if (count >= TILES_LEAST && !measure(c, &t, count, why) && !c->meter.stopped && t.n >= 2 &&
        long_enough(c, &t)) {
        sheet.timing = t.timing;
        sheet.n = t.n;
        if (!lab_sheet_again(c, &sheet, &t.configs, why) && !c->meter.stopped)
            keep(c, p, kernel, &t, &sheet, hash, why);
    }
    const int measured = t.n > 0 && long_enough(c, &t);
    c->brief += t.n > 0 && !measured;
    lab_run_free(t.configs.run);
    harness_free(t.timing);
    harness_free(t.configs.tile);
    return measured;
}

/* Kernels of a few random partitions, in random order. */
static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    ag_random random = {(uint64_t)c->s->seed, lab_kernel_hash(p), 0};
    int *group = harness_alloc(((size_t)p->n + 1) * sizeof *group),
        found = lab_manifest_count(c->folder, p->name, 0);
    lab_collect_step(c, found, p->name);
    for (int i = 0; i < PARTITIONS && found < c->s->kernels && !why->status; i++) {
        const double rate = 0.3 + 0.7 * ag_random_uniform(&random);
        const int groups = lab_partition(group, p, rate, ag_random_bits(&random));
        int32_t *order = harness_alloc(((size_t)groups + 1) * sizeof *order);
        for (int g = 0; g < groups; g++) order[g] = g;
        ag_random_shuffle(&random, order, groups);
        for (int g = 0; g < groups && found < c->s->kernels && !why->status; g++) {
            lab_program kernel = {0};
            if (c->meter.stopped || lab_collect_late(c, 0)) break;
            if (!lab_kernel(&kernel, p, group, order[g]) && one_kernel(c, p, &kernel, why)) {
                found++;
                lab_collect_step(c, 1, p->name);
            }
            if (kernel.why.status) ag_fail(why, kernel.why.status, "%s", kernel.why.sentence);
            lab_program_clear(&kernel);
        }
        harness_free(order);
    }
    harness_free(group);
    return why->status;
}

ag_status lab_tile_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    const lab_collector kind = {"tile", {NULL}, s->kernels, collect};
    return lab_collect(&kind, s, why);
}
