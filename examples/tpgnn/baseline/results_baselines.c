/* SPDX-License-Identifier: MIT */
/* Scores the baselines on the schedules that the model was scored on. */
#include "examples/tpgnn/baseline/results_internal.h"
#include "examples/tpgnn/data/stores.h"

static int watch(void *context, const char *label, double done)
{
    (void)label;
    harness_progress_update(context, (int64_t)(done * 100), NULL);
    return harness_interrupted();
}

/* Lack of memory ends the call; any other failure only leaves the baseline out. */
static ag_status leave_out(const char *name, const ag_failure *mine, ag_failure *why)
{
    if (mine->status == AG_EMEMORY) return ag_fail(why, mine->status, "%s", mine->sentence);
    harness_warn("no %s to compare with: %s", name, mine->sentence);
    return AG_OK;
}

static ag_status add_boosting(tpgnn_results *r, const char *name, tpgnn_boosting_options *o,
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
    if (!b && !harness_interrupted()) return leave_out(name, &mine, why);
    if (b && !harness_interrupted()) {
        const int m = tpgnn_results_method(
            r, name,
            harness_text("%d trees of depth %d at most, features of %d training schedules; a "
                         "stored buffer starts at %g",
                         tpgnn_boosting_trees(b), o->depth, train->schedules, o->start));
        tpgnn_boosting_score(r->score[m], b, scored, why);
    }
    tpgnn_boosting_free(b);
    return why->status;
}

static ag_status add_ridge(tpgnn_results *r, const char *name, tpgnn_ridge_kind kind,
                           const tpgnn_stores *train, const tpgnn_stores *scored, ag_failure *why)
{
    ag_failure mine = {0};
    const int n = scored->schedules;
    tpgnn_ridge *ridge = tpgnn_ridge_fit(train, kind, &mine);
    if (!ridge) return leave_out(name, &mine, why);
    const int m = tpgnn_results_method(
        r, name,
        harness_text("linear in the summed features of %d training schedules, %s; weight %.3g",
                     train->schedules,
                     kind == TPGNN_RIDGE_WITHIN ? "within tasks" : "of ln(run time) itself",
                     tpgnn_ridge_weight(ridge)));
    double *cost = harness_alloc((size_t)n * sizeof *cost + 1);
    tpgnn_ridge_cost(cost, ridge, scored, why);
    for (int i = 0; i < n; i++) r->score[m][i] = cost[i];
    if (kind == TPGNN_RIDGE_ABSOLUTE)
        r->cost[m] = cost;
    else
        harness_free(cost);
    tpgnn_ridge_free(ridge);
    return why->status;
}

static void add_rules(tpgnn_results *r, const tpgnn_stores *scored)
{
    int m = tpgnn_results_method(
        r, "vectorised extents",
        harness_copy("sum of log2 of the extents of vectorised loops; nothing is learned"));
    tpgnn_score_vectorised(r->score[m], r->data);
    m = tpgnn_results_method(
        r, "number of stores",
        harness_copy("how many buffers a schedule stores, the most first; nothing is learned"));
    tpgnn_score_stores(r->score[m], scored);
    m = tpgnn_results_method(r, "random", harness_copy("uniform numbers"));
    tpgnn_score_random(r->score[m], scored->schedules, 0);
}

static ag_status add_all(tpgnn_results *r, const tpgnn_stores *train, const tpgnn_stores *scored,
                         ag_failure *why)
{
    tpgnn_boosting_options tvm = tpgnn_boosting_defaults(), tuned = tvm;
    tuned.start = 0;
    tuned.depth = 6;
    tuned.rounds = 200;
    tuned.patience = 0;
    if (add_boosting(r, "XGBoost (TVM)", &tvm, train, scored, why) || harness_interrupted() ||
        add_boosting(r, TPGNN_BESIDE, &tuned, train, scored, why) || harness_interrupted() ||
        add_ridge(r, "ridge within tasks", TPGNN_RIDGE_WITHIN, train, scored, why) ||
        harness_interrupted() || add_ridge(r, "ridge", TPGNN_RIDGE_ABSOLUTE, train, scored, why))
        return why->status;
    if (!harness_interrupted()) add_rules(r, scored);
    return AG_OK;
}

ag_status tpgnn_results_baselines(tpgnn_results *r, const tpgnn_data *train, ag_failure *why)
{
    tpgnn_stores learned, scored;
    if (!train->schedules)
        return ag_fail(why, AG_EUSE, "baselines: there are no training schedules to fit them to");
    tpgnn_stores_take(&learned, train);
    tpgnn_stores_take(&scored, r->data);
    add_all(r, &learned, &scored, why);
    tpgnn_stores_drop(&learned);
    tpgnn_stores_drop(&scored);
    return why->status;
}
