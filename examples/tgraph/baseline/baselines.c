/* SPDX-License-Identifier: MIT */
/* Assigns each file to a fit and scores it with the baselines. */
#include "examples/tgraph/baseline/baselines.h"

#include "examples/harness/harness.h"
#include "examples/tgraph/baseline/baseline_internal.h"

#include <math.h>

tgraph_baseline_part tgraph_baseline_train(const tgraph_file *f)
{
    return (tgraph_baseline_part){
        .file = f, .config = f->train, .count = f->train ? f->train_count : f->configs};
}

tgraph_baseline_options tgraph_baseline_defaults(void)
{
    return (tgraph_baseline_options){
        .most_rows = 65536, .most_columns = 1536, .most_cells = 1 << 24};
}

/* ---- one part ---- */

static void score_random(double *score, int count, int index, uint64_t seed)
{
    ag_random random = harness_stream(TGRAPH_RANDOM_SCORES, seed, (uint64_t)index);
    for (int i = 0; i < count; i++) score[i] = ag_random_uniform(&random);
}

static void round_scores(double *score, const double *exact, int count)
{
    for (int i = 0; i < count; i++) score[i] = rint(exact[i] * 1000) / 1000;
}

static const char on_rounded[] =
    "the scores of boosting, rounded to three digits after the point: closer ones tie, as equally "
    "fast configurations do, which tau-b rewards";

static int is_there(const tgraph_fit *fit, tgraph_baseline_kind kind)
{
    return kind == TGRAPH_BASELINE_RANDOM ||
           (kind == TGRAPH_BASELINE_RIDGE ? fit->ridge != NULL : fit->boosting != NULL);
}

static ag_status score_part(tgraph_baseline_result *r, const tgraph_baseline_part *part, int index,
                            tgraph_fit *fit, ag_failure *why)
{
    for (int i = 0; i < TGRAPH_BASELINES && !why->status; i++) {
        const tgraph_baseline_kind kind = (tgraph_baseline_kind)i;
        const tgraph_baseline_kind fitted =
            kind == TGRAPH_BASELINE_ROUNDED ? TGRAPH_BASELINE_BOOSTING : kind;
        tgraph_baseline *b = &r->of[kind];
        const bool rounded = kind != fitted && is_there(fit, fitted);
        snprintf(b->note, sizeof b->note, "%s",
                 kind == TGRAPH_BASELINE_RANDOM ? "uniform scores"
                 : rounded                      ? on_rounded
                                                : fit->note[fitted]);
        if (!is_there(fit, fitted)) continue;
        b->score = harness_alloc((size_t)part->count * sizeof *b->score);
        if (kind == TGRAPH_BASELINE_RANDOM)
            score_random(b->score, part->count, index, fit->options->seed);
        else if (kind == TGRAPH_BASELINE_ROUNDED)
            round_scores(b->score, r->of[TGRAPH_BASELINE_BOOSTING].score, part->count);
        else
            tgraph_fit_predict(b->score, fit, kind, part, why);
    }
    return why->status;
}

/* ---- all parts ---- */

static ag_status run_within(tgraph_baseline_result *r, const tgraph_baseline_part *part, int index,
                            const tgraph_baseline_options *o, ag_failure *why)
{
    const tgraph_baseline_part own = tgraph_baseline_train(part->file);
    tgraph_fit fit;
    r->within = 1;
    if (!tgraph_fit_open(&fit, &own, 1, 1, o, why)) score_part(r, part, index, &fit, why);
    tgraph_fit_close(&fit);
    return why->status;
}

/* Fits the parts that have no fit of their own. */
static ag_status run_across(tgraph_baseline_result *result, const tgraph_baseline_part *train,
                            int trains, const tgraph_baseline_part *parts, int count,
                            const tgraph_baseline_options *o, ag_failure *why)
{
    tgraph_fit fit;
    int shared = 0;
    for (int i = 0; i < count; i++) shared += !result[i].within;
    if (!shared) return AG_OK;
    if (!tgraph_fit_open(&fit, train, trains, 0, o, why))
        for (int i = 0; i < count && !why->status; i++)
            if (!result[i].within) score_part(&result[i], &parts[i], i, &fit, why);
    tgraph_fit_close(&fit);
    return why->status;
}

ag_status tgraph_baselines_run(tgraph_baseline_result *result, const tgraph_baseline_part *train,
                               int trains, const tgraph_baseline_part *parts, int count,
                               const tgraph_baseline_options *options, ag_failure *why)
{
    for (int i = 0; i < count; i++) result[i] = (tgraph_baseline_result){0};
    for (int i = 0; i < count && !why->status; i++)
        if (parts[i].file->train) run_within(&result[i], &parts[i], i, options, why);
    if (!why->status) run_across(result, train, trains, parts, count, options, why);
    if (why->status) tgraph_baselines_free(result, count);
    return why->status;
}

void tgraph_baselines_free(tgraph_baseline_result *result, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < TGRAPH_BASELINES; k++) {
            harness_free(result[i].of[k].score);
            result[i].of[k].score = NULL;
        }
}
