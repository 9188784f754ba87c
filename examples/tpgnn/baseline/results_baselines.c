/* SPDX-License-Identifier: MIT */
/* Scores the baselines on the schedules that the model was scored on. */
#include "examples/tpgnn/results.h"
#include "examples/tpgnn/data/stores.h"

static int watch(void *context, const char *label, double done)
{
    (void)label;
    harness_progress_update(context, (int64_t)(done * 100), NULL);
    return harness_interrupted();
}

static ag_status add_boosting(harness_rank *r, const char *name, tpgnn_boosting_options *o,
                              const tpgnn_stores *train, const tpgnn_stores *scored,
                              ag_failure *why)
{
    ag_failure mine = {0};
    harness_progress bar;
    harness_progress_start(&bar, name, 0, 100);
    o->progress = watch;
    o->context = &bar;
    tpgnn_boosting *b = tpgnn_boosting_fit(train, o, &mine);
    harness_progress_end(&bar);
    if (!b) return harness_rank_leave_out(name, &mine, why);
    if (harness_go_on(why)) {
        char *note = harness_text("%d trees of depth %d at most, features of %d training "
                                  "schedules; a stored buffer starts at %g",
                                  tpgnn_boosting_trees(b), o->depth, train->schedules, o->start);
        tpgnn_boosting_score(harness_rank_method(r, name, note), b, scored, why);
    }
    tpgnn_boosting_free(b);
    return why->status;
}

static ag_status add_ridge(harness_rank *r, const char *name, tpgnn_ridge_kind kind,
                           const tpgnn_stores *train, const tpgnn_stores *scored, ag_failure *why)
{
    ag_failure mine = {0};
    tpgnn_ridge *ridge = tpgnn_ridge_fit(train, kind, &mine);
    if (!ridge) return harness_rank_leave_out(name, &mine, why);
    const int absolute = kind == TPGNN_RIDGE_ABSOLUTE;
    double *score = harness_rank_method(
        r, name,
        harness_text("linear in the summed features of %d training schedules, %s; weight %.3g",
                     train->schedules, absolute ? "of ln(run time) itself" : "within tasks",
                     tpgnn_ridge_weight(ridge)));
    tpgnn_ridge_cost(score, ridge, scored, why);
    if (absolute) r->cost[r->methods - 1] = score;
    tpgnn_ridge_free(ridge);
    return why->status;
}

static void add_rules(harness_rank *r, const tpgnn_data *data, const tpgnn_stores *scored)
{
    tpgnn_score_vectorised(
        harness_rank_method(
            r, "vectorised extents",
            harness_copy("sum of log2 of the extents of vectorised loops; nothing is learned")),
        data);
    tpgnn_score_stores(
        harness_rank_method(
            r, "number of stores",
            harness_copy("how many buffers a schedule stores, the most first; nothing is learned")),
        scored);
    tpgnn_score_random(harness_rank_method(r, "random", harness_copy("uniform numbers")),
                       scored->schedules, 0);
}

static ag_status add_all(harness_rank *r, const tpgnn_data *data, const tpgnn_stores *train,
                         const tpgnn_stores *scored, ag_failure *why)
{
    tpgnn_boosting_options tvm = tpgnn_boosting_defaults(), tuned = tvm;
    tuned.start = 0;
    tuned.depth = 6;
    tuned.rounds = 200;
    tuned.patience = 0;
    if (add_boosting(r, "XGBoost (TVM)", &tvm, train, scored, why) ||
        add_boosting(r, TPGNN_AGAINST, &tuned, train, scored, why) ||
        add_ridge(r, "ridge within tasks", TPGNN_RIDGE_WITHIN, train, scored, why) ||
        add_ridge(r, "ridge", TPGNN_RIDGE_ABSOLUTE, train, scored, why))
        return why->status;
    add_rules(r, data, scored);
    return AG_OK;
}

ag_status tpgnn_results_baselines(void *results, ag_failure *why)
{
    tpgnn_results *r = results;
    const tpgnn_files *f = r->files;
    tpgnn_stores learned, scored;
    if (!f->train.schedules) return AG_OK;
    tpgnn_stores_take(&learned, &f->train);
    tpgnn_stores_take(&scored, &f->scored);
    add_all(&r->rank, &f->scored, &learned, &scored, why);
    tpgnn_stores_drop(&learned);
    tpgnn_stores_drop(&scored);
    return why->status;
}
