/* SPDX-License-Identifier: MIT */
/* Scores the baselines on the schedules that the model was scored on. */
#include "examples/tpgnn/baseline/baselines.h"
#include "core/random.h"
#include "examples/tpgnn/hooks.h"

#include <math.h>
#include <string.h>

static void score_random(double *score, const tpgnn_data *data)
{
    ag_random random = {0, 0x5450474e4e52, 0};
    for (int i = 0; i < data->schedules; i++) score[i] = -ag_random_uniform(&random);
}

static void score_stores(double *score, const tpgnn_data *data)
{
    for (int i = 0; i < data->schedules; i++) score[i] = -data->schedule[i].stores;
}

/* Minus the sum of log2 of the extents of vectorised loops: of all single features the best. */
static void score_vectorised(double *score, const tpgnn_data *data)
{
    uint8_t *is = harness_alloc((size_t)data->kinds + 1);
    for (int k = 0; k < data->kinds; k++)
        is[k] = strcmp(data->kind[k].word[TPGNN_LOOP], "vectorized") == 0;
    for (int i = 0; i < data->schedules; i++) {
        const tpgnn_schedule *s = &data->schedule[i];
        score[i] = 0;
        for (int v = 0; v < s->nodes; v++)
            if (is[s->kind[v]] && s->value[v] > 1) score[i] -= log2((double)s->value[v]);
    }
    harness_free(is);
}

static const struct {
    const char *name, *note;
    void (*score)(double *score, const tpgnn_data *data);
} rules[] = {
    {"vectorised extents", "sum of log2 of the extents of vectorised loops; nothing is learned",
     score_vectorised},
    {"number of stores", "how many buffers a schedule stores, the most first; nothing is learned",
     score_stores},
    {"random", "uniform numbers", score_random},
};

static int watch(void *context, const char *label, double done)
{
    (void)label;
    harness_progress_update(context, (int64_t)(done * 100), NULL);
    return harness_interrupted();
}

static ag_status add_boosting(harness_rank *r, const tpgnn_files *f, ag_failure *why)
{
    ag_failure mine = {0};
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    harness_progress bar;
    harness_progress_start(&bar, TPGNN_AGAINST, 0, 100);
    o.trees.progress = watch;
    o.trees.context = &bar;
    harness_boosting *b = tpgnn_boosting_fit(&f->train, &o, &mine);
    harness_progress_end(&bar);
    if (!b) return harness_rank_leave_out(TPGNN_AGAINST, &mine, why);
    if (harness_go_on(why)) {
        char *note = harness_text("%d trees of depth %d at most, features of %d training "
                                  "schedules; a stored buffer starts at %g",
                                  harness_boosting_trees(b), o.trees.depth, f->train.schedules,
                                  o.loss.start);
        tpgnn_boosting_score(harness_rank_method(r, TPGNN_AGAINST, note), b, &f->scored, why);
    }
    harness_boosting_free(b);
    return why->status;
}

ag_status tpgnn_results_baselines(void *results, ag_failure *why)
{
    tpgnn_results *r = results;
    if (!r->files->train.schedules || add_boosting(&r->rank, r->files, why)) return why->status;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i].score(harness_rank_method(&r->rank, rules[i].name, harness_copy(rules[i].note)),
                       &r->files->scored);
    return AG_OK;
}
