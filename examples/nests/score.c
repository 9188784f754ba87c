/* SPDX-License-Identifier: MIT */
/* Scores items by the model, by only its network or its trees, and by work. */
#include "examples/nests/hooks.h"

#include "examples/harness/machine/device.h"

/* The items that are scored together, and where their scores go. */
typedef struct work {
    const nests_model *model;
    const nests_set *set;
    const harness_scoring *how;
    nests_batch *batch;
    nests_pick pick;
    int64_t at;
} work;

static void add(double *const score[NESTS_SCORES], const work *w, const ag_real *network,
                const double *trees)
{
    const nests_model *m = w->model;
    const double weight = 1.0 / w->how->models;
    for (int i = 0; i < w->pick.count; i++) {
        const int64_t at = w->at + i;
        const double base = w->batch->base[i], n = network ? (double)network[i] : 0,
                     t = m->trees.count ? trees[i] : 0,
                     both = base + (1 - m->share) * n + m->share * t;
        score[NESTS_BY_BOTH][at] += weight * both;
        score[NESTS_BY_NETWORK][at] += weight * (base + n);
        score[NESTS_BY_TREES][at] += weight * (base + t);
        score[NESTS_BY_WORK][at] += weight * base;
    }
}

static ag_status score_batch(double *const score[NESTS_SCORES], work *w, double *trees,
                             ag_failure *why)
{
    const nests_model *m = w->model;
    ag_tape *tape = w->how->tape;
    const ag_real *network = NULL;
    if (nests_batch_fill(w->batch, &w->set->data, &m->scale, &w->pick, 1, NESTS_OPEN, why))
        return why->status;
    if (m->trees.count) nests_trees_score(trees, m, w->batch);
    if (m->members) {
        ag_tape_begin(tape, 0);
        ag_tensor *y = nests_forward(m, tape, w->batch);
        network = harness_outputs_of(w->how->outputs, tape, y, w->pick.count);
        if (!network)
            return harness_scoring_failed(tape, w->set->data.group[w->pick.group].name,
                                          "--eval-items", why);
    }
    add(score, w, network, trees);
    return AG_OK;
}

ag_status nests_score(double *const score[NESTS_SCORES], const nests_model *m, const nests_set *set,
                      const harness_scoring *how, ag_failure *why)
{
    const int most = ((const nests_settings *)how->settings)->eval_items;
    nests_batch batch = {0};
    work w = {.model = m, .set = set, .how = how, .batch = &batch};
    double *trees = HARNESS_NEW(trees, most);
    harness_progress bar;
    harness_progress_start(&bar, "score", 0, set->score.first[set->data.groups]);
    bar.shown = false; /* in training there is another bar */
    for (int g = 0; g < set->data.groups && !why->status; g++) {
        const int *item = nests_list(&set->score, g), all = nests_count(&set->score, g);
        for (int first = 0, n; first < all && (how->patient || harness_go_on(why)); first += n) {
            n = all - first < most ? all - first : most;
            w.pick = (nests_pick){g, n, item + first};
            if (score_batch(score, &w, trees, why)) break;
            w.at += n;
            harness_progress_update(&bar, w.at, NULL);
        }
    }
    nests_batch_free(&batch);
    harness_free(trees);
    return why->status;
}
