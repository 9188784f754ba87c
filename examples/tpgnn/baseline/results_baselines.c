/* SPDX-License-Identifier: MIT */
/* Scores the baselines on the schedules that the model was scored on. */
#include "examples/tpgnn/baseline/statements.h"
#include "examples/tpgnn/nest/nest_rows.h"
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

static ag_status add_additive(harness_rank *r, const tpgnn_statements *train,
                              const tpgnn_statements *scored, ag_failure *why)
{
    ag_failure mine = {0};
    harness_progress bar;
    harness_boosting_options o = tpgnn_additive_options();
    harness_progress_start(&bar, TPGNN_AGAINST, 0, 100);
    o.progress = watch;
    o.context = &bar;
    harness_boosting *a = harness_additive_fit(train->group, train->tasks, TPGNN_ROW, &o, &mine);
    harness_progress_end(&bar);
    if (!a) return harness_rank_leave_out(TPGNN_AGAINST, &mine, why);
    if (harness_go_on(why)) {
        char *note = harness_text("ln of the sum over the statements of estimated cycles x "
                                  "exp(%d trees of depth %d), against the mean of the task",
                                  harness_boosting_trees(a), o.depth);
        tpgnn_additive_score(harness_rank_method(r, TPGNN_AGAINST, note), a, scored, why);
    }
    harness_boosting_free(a);
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

static void add_rules(harness_rank *r, const tpgnn_data *data, const tpgnn_stores *scored,
                      const tpgnn_statements *statements)
{
    tpgnn_score_cycles(
        harness_rank_method(
            r, "estimated cycles",
            harness_copy("sum over the statements, as nest.h counts them; nothing is learned")),
        statements);
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

/* The methods that read stored buffers and learn from them. */
static ag_status add_learned(harness_rank *r, const tpgnn_stores *train, const tpgnn_stores *scored,
                             ag_failure *why)
{
    tpgnn_boosting_options tvm = tpgnn_boosting_defaults();
    if (add_boosting(r, "XGBoost (TVM)", &tvm, train, scored, why) ||
        add_ridge(r, "ridge within tasks", TPGNN_RIDGE_WITHIN, train, scored, why))
        return why->status;
    return add_ridge(r, "ridge", TPGNN_RIDGE_ABSOLUTE, train, scored, why);
}

static ag_status add_all(harness_rank *r, const tpgnn_files *f, ag_failure *why)
{
    tpgnn_stores learned, scored;
    tpgnn_statements statements = {0}, own = {0};
    tpgnn_stores_take(&learned, &f->train);
    tpgnn_stores_take(&scored, &f->scored);
    if (!tpgnn_statements_take(&own, &f->train, why) &&
        !tpgnn_statements_take(&statements, &f->scored, why) &&
        !add_additive(r, &own, &statements, why) && !add_learned(r, &learned, &scored, why))
        add_rules(r, &f->scored, &scored, &statements);
    tpgnn_statements_drop(&own);
    tpgnn_statements_drop(&statements);
    tpgnn_stores_drop(&learned);
    tpgnn_stores_drop(&scored);
    return why->status;
}

ag_status tpgnn_results_baselines(void *results, ag_failure *why)
{
    tpgnn_results *r = results;
    if (!r->files->train.schedules) return AG_OK;
    return add_all(&r->rank, r->files, why);
}
