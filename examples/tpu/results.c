/* SPDX-License-Identifier: MIT */
/* Makes results of a call's kernels, with the scores of runs, noise and baselines. */
#include "examples/tpu/hooks.h"

#include <string.h>

static const harness_measure of_tiles[] = {HARNESS_APE, HARNESS_TAU_B, HARNESS_MEASURES};
static const harness_measure of_kernels[] = {HARNESS_MAPE, HARNESS_TAU_B, HARNESS_MAPE_ALL,
                                             HARNESS_TAU_B_ALL, HARNESS_MEASURES};

/* The roofline's columns are next to the model's, as the analytical model's are in Table 2. */
static const harness_rank_form form[] = {[TPU_TILE] = {.kind = "tile",
                                                       .row = "program",
                                                       .rows = "programs",
                                                       .groups = "kernels",
                                                       .items = "tile sizes",
                                                       .measure = of_tiles,
                                                       .median = "APE % median",
                                                       .against = "roofline"},
                                         [TPU_FUSION] = {.kind = "fusion",
                                                         .row = "program",
                                                         .rows = "programs",
                                                         .items = "kernels",
                                                         .measure = of_kernels,
                                                         .main = 2,
                                                         .studied = 2,
                                                         .median = "MAPE % median",
                                                         .against = "roofline"}};

void tpu_results_form(harness_rank_form *to, const void *net, const harness_settings *settings)
{
    (void)settings;
    *to = form[((const tpu_trained *)net)->model.options.task];
}

/* A file is a group: the tile sizes of its kernel, or its kernels, from number 0 on. */
void tpu_results_groups(harness_rank *rank, const tpu_data *data, tpu_task task, int64_t least)
{
    char **name = harness_rank_names(rank, &data->paths, data->files, ".npz");
    rank->form = form[task];
    rank->times = task == TPU_FUSION;
    rank->least = task == TPU_FUSION ? least : 0;
    if (task == TPU_TILE) {
        rank->row_name = (const char *const *)data->program;
        rank->rows = data->programs;
    }
    for (const tpu_kernel *k = data->kernel, *last = k + data->kernels; k < last;) {
        harness_ranked group = {.name = name ? name[rank->groups] : k->name,
                                .actual = k->runtime, /* those of a file follow each other */
                                .row = task == TPU_TILE ? k->program : 0};
        do group.items += k->configs;
        while (++k < last && k->number);
        harness_rank_group(rank, group);
    }
}

void tpu_results_open(void *results, void *files, const harness_settings *settings)
{
    tpu_results *r = results;
    const tpu_files *f = r->files = files;
    const tpu_task task = f->train.kernels ? f->train.task : f->scored.task;
    r->rank.title =
        harness_text("%s (%s), %d kernels", r->rank.name, form[task].kind, f->train.kernels);
    tpu_results_groups(&r->rank, &f->scored, task, ((const tpu_settings *)settings)->least);
    harness_rank_method(&r->rank, r->rank.name, NULL);
}

ag_status tpu_results_add(void *results, const harness_trained *trained, const harness_scoring *how,
                          ag_failure *why)
{
    tpu_results *r = results;
    double *score = r->rank.score[0];
    if (tpu_score(score, &r->files->scored, trained->net, how, why)) return why->status;
    if (++r->models == how->models && r->rank.times)
        for (int64_t i = 0; i < r->rank.items; i++) score[i] = nests_nanoseconds(score[i]);
    return AG_OK;
}

static bool same_kernels(const tpu_kernel *k, int count)
{
    for (int i = 1; i < count; i++) {
        const size_t n = (size_t)k->nodes;
        if (k[i].nodes != k->nodes || memcmp(k[i].opcode, k->opcode, n * sizeof *k->opcode) ||
            memcmp(k[i].feature, k->feature, n * TPUGRAPHS_FEATURES * sizeof *k->feature))
            return false;
    }
    return true;
}

const char *tpu_results_alike(const void *results, int group)
{
    const tpu_results *r = results;
    const harness_ranked *g = &r->rank.group[group];
    const tpu_kernel *k = r->files->scored.kernel;
    if (r->rank.times)
        return same_kernels(k + g->first, g->items) ? "its kernels have the same nodes" : NULL;
    k += group;
    const size_t rest = ((size_t)k->configs - 1) * TPUGRAPHS_TILE_FEATURES;
    return memcmp(k->tile, k->tile + TPUGRAPHS_TILE_FEATURES, rest * sizeof *k->tile)
               ? NULL
               : "its tile sizes do not differ"; /* each row is the next one */
}

void tpu_results_repeat(void *results)
{
    tpu_results *r = results;
    const harness_files *files = &r->files->scored.paths;
    if (files->count == r->rank.groups) tpugraphs_noise(&r->rank, (const char *const *)files->path);
}

/* The share of the work is not known: trees are one of several fits. */
static int watch(void *context, const char *label, double done)
{
    (void)context, (void)label, (void)done;
    if (harness_silence() >= HARNESS_LONG_SILENCE) harness_log("fitting baselines");
    return harness_interrupted();
}

static ag_status add_baseline(tpu_results *r, tpu_baseline kind, ag_failure *why)
{
    harness_boosting_options trees = tpu_baseline_trees();
    const char *name = tpu_baseline_name[kind];
    double *score = HARNESS_NEW(score, r->rank.items);
    ag_failure mine = {0};
    trees.progress = watch;
    char *note =
        tpu_baseline_score(score, kind, &r->files->train, &r->files->scored, &trees, &mine);
    if (note)
        memcpy(harness_rank_method(&r->rank, name, note), score,
               (size_t)r->rank.items * sizeof *score);
    else
        harness_rank_leave_out(name, &mine, why);
    harness_free(score);
    return why->status;
}

ag_status tpu_results_baselines(void *results, ag_failure *why)
{
    tpu_results *r = results;
    if (!r->files->train.kernels) return AG_OK;
    for (int kind = 0; kind < TPU_BASELINES && harness_go_on(why); kind++)
        add_baseline(r, (tpu_baseline)kind, why);
    return why->status;
}
