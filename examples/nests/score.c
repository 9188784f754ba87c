/* SPDX-License-Identifier: MIT */
#include "examples/nests/score.h"

#include "examples/harness/machine/device.h"

#include <math.h>

/* The items that are scored together, and where their scores go. */
typedef struct work {
    const nests_scorer *scorer;
    const nests_set *set;
    nests_batch *batch;
    nests_pick pick;
    int64_t at;
} work;

static ag_status add(double *const score[NESTS_SCORES], const work *w, const ag_real *network,
                     const double *trees, double weight, ag_failure *why)
{
    const nests_model *m = w->scorer->model;
    for (int i = 0; i < w->pick.count; i++) {
        const int64_t at = w->at + i;
        const double base = w->batch->base[i], n = network ? (double)network[i] : 0,
                     t = m->trees.count ? trees[i] : 0,
                     both = base + (1 - m->share) * n + m->share * t;
        if (!isfinite(both))
            return ag_fail(
                why, AG_EFINITE,
                "%.160s: the score of item %d is %g; the run is of no use, choose another "
                "checkpoint",
                w->set->data.group[w->pick.group].name, w->pick.item[i], both);
        score[NESTS_BY_BOTH][at] += weight * both;
        score[NESTS_BY_NETWORK][at] += weight * (base + n);
        score[NESTS_BY_TREES][at] += weight * (base + t);
        score[NESTS_BY_WORK][at] += weight * base;
    }
    return AG_OK;
}

static ag_status score_batch(double *const score[NESTS_SCORES], work *w, double *trees,
                             double weight, ag_failure *why)
{
    const nests_scorer *s = w->scorer;
    const nests_model *m = s->model;
    const ag_real *network = NULL;
    if (nests_batch_fill(w->batch, &w->set->data, &m->scale, &w->pick, 1, NESTS_OPEN, why))
        return why->status;
    if (m->trees.count) nests_trees_score(trees, m, w->batch);
    if (m->members) {
        ag_tape_reset(s->tape);
        ag_tape_training(s->tape, 0);
        ag_tensor *y = nests_forward(m, s->tape, w->batch);
        ag_forward(y);
        network = ag_values(y);
        if (!network)
            return harness_scoring_failed(s->tape, w->set->data.group[w->pick.group].name,
                                          "--eval-items", why);
    }
    return add(score, w, network, trees, weight, why);
}

ag_status nests_score(const nests_scorer *s, double *const score[NESTS_SCORES],
                      const nests_set *set, double weight, ag_failure *why)
{
    nests_batch batch = {0};
    work w = {.scorer = s, .set = set, .batch = &batch};
    double *trees = harness_alloc((size_t)s->items * sizeof *trees);
    for (int g = 0; g < set->data.groups && !why->status; g++) {
        const int *item = nests_list(&set->score, g), all = nests_count(&set->score, g);
        for (int first = 0, n; first < all && (s->patient || harness_go_on(why)); first += n) {
            n = all - first < s->items ? all - first : s->items;
            w.pick = (nests_pick){g, n, item + first};
            if (score_batch(score, &w, trees, weight, why)) break;
            w.at += n;
            harness_progress_update(s->bar, w.at, NULL);
        }
    }
    ag_tape_reset(s->tape);
    ag_tape_training(s->tape, 1);
    nests_batch_free(&batch, set->data.maker);
    harness_free(trees);
    return why->status;
}
