/* SPDX-License-Identifier: MIT */
/* `lab tile`: fused kernels under their valid tile sizes. */
#include "examples/lab/collect/collect.h"
#include "core/random.h"

#include <inttypes.h>
#include <jansson.h>

enum { PARTITIONS = 4, TILES_LEAST = 4 };

/* 1 if the kernel's default tile takes long enough for a file. */
static int long_enough(const lab_collection *c, const lab_sheet *t)
{
    return t->n == 0 || t->timing[0].ns >= c->s->least;
}

/* The default comes first, so it is there however short the time is. */
static ag_status measure(lab_collection *c, lab_sheet *t, int count, ag_failure *why)
{
    while (t->n < count && long_enough(c, t) && !c->meter.stopped && !why->status) {
        if (t->n >= LAB_LEAST && lab_collect_late(c, 0)) break;
        lab_sheet_more(c, t, count - t->n, why);
    }
    return why->status;
}

static ag_status add(ag_npz_writer *w, lab_sheet *t, ag_failure *why)
{
    const int64_t n = t->n;
    const int64_t *ns = lab_sheet_times(t);
    int64_t *norm = harness_take(&t->memory, (size_t)n * sizeof *norm);
    float *feature = harness_take(&t->memory, (size_t)n * LAB_TILE * sizeof *feature);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < LAB_TILE; k++) feature[i * LAB_TILE + k] = (float)t->configs.tile[i][k];
        norm[i] = ns[0];
    }
    if (!ag_npz_add(w, "config_feat", AG_F32, 2, (int64_t[]){n, LAB_TILE}, feature, why) &&
        !ag_npz_add(w, "config_runtime", AG_I64, 1, &n, ns, why))
        ag_npz_add(w, "config_runtime_normalizers", AG_I64, 1, &n, norm, why);
    return lab_sheet_end(w, why);
}

/* Returns whether the kernel was measured: it is new, has several tiles and takes long enough. */
static int one_kernel(lab_collection *c, const lab_program *p, lab_program *kernel, ag_failure *why)
{
    char hash[17];
    lab_configs configs = {.program = kernel};
    snprintf(hash, sizeof hash, "%016" PRIx64, lab_kernel_hash(kernel));
    if (lab_manifest_has(c->folder, hash)) return 0;
    snprintf(kernel->name, sizeof kernel->name, "%.44s_%s", p->name, hash);
    const int count = lab_tiles(&configs.tile, kernel, c->s->configs, (uint64_t)c->s->seed);
    lab_sheet t = lab_sheet_new(c, configs, count);
    if (count >= TILES_LEAST && !measure(c, &t, count, why) && !c->meter.stopped && t.n >= 2 &&
        long_enough(c, &t)) {
        json_t *facts = json_pack("{ss si sI}", "hash", hash, "nodes", kernel->n, "default_ns",
                                  (json_int_t)t.timing[0].ns);
        ag_npz_writer *w = lab_sheet_file(c, &t, p->name, facts, why);
        if (w) add(w, &t, why);
    }
    const int measured = t.n > 0 && long_enough(c, &t);
    c->brief += t.n > 0 && !measured;
    lab_sheet_clear(&t);
    harness_free(configs.tile);
    return measured;
}

/* Kernels of a few random partitions, in random order. */
static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    ag_random random = {(uint64_t)c->s->seed, lab_kernel_hash(p), 0};
    int *group = HARNESS_NEW(group, p->n), found = lab_manifest_files(c->folder, p->name).all;
    for (int i = 0; i < PARTITIONS && found < c->s->kernels && !why->status; i++) {
        const double rate = 0.3 + 0.7 * ag_random_uniform(&random);
        const int groups = lab_partition(group, p, rate, ag_random_bits(&random));
        int32_t *order = HARNESS_NEW(order, groups);
        for (int g = 0; g < groups; g++) order[g] = g;
        ag_random_shuffle(&random, order, groups);
        for (int g = 0; g < groups && found < c->s->kernels && !why->status; g++) {
            lab_program kernel;
            if (c->meter.stopped || lab_collect_late(c, 0)) break;
            lab_kernel(&kernel, p, group, order[g]);
            found += one_kernel(c, p, &kernel, why);
            lab_collect_note(c, p->name);
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
    lab_collection c = {.s = s,
                        .kind = "tile",
                        .options = json_pack("{si si sI}", "configs", s->configs, "kernels",
                                             s->kernels, "least", (json_int_t)s->least),
                        .collect = collect};
    return lab_collect(&c, why);
}
