/* SPDX-License-Identifier: MIT */
/* The regressions on the rows of a fit, and their scores. */
#include "examples/tgraph/baseline/baseline_internal.h"
#include "examples/harness/harness.h"

#include <string.h>

enum { CHUNK = 1024 }; /* configurations that are scored at a time */

int tgraph_fit_stop(tgraph_fit *f, const char *label, double done)
{
    const tgraph_baseline_options *o = f->options;
    if (!f->stopped && o->progress) f->stopped = o->progress(o->context, label, done) != 0;
    return f->stopped;
}

/* Chooses the weight with the smallest error on the last rows. */
static double choose_weight(double *w, const harness_moments *head, const harness_moments *tail,
                            ag_failure *why)
{
    static const double weight[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1};
    double best = 0.1, least = 0;
    if (tail->rows < 1 || head->rows < 2) return best;
    for (size_t i = 0, found = 0; i < sizeof weight / sizeof *weight; i++) {
        ag_failure failure = {0};
        if (harness_ridge_solve(w, head, weight[i], &failure)) {
            if (failure.status == AG_EMEMORY) ag_fail(why, AG_EMEMORY, "%s", failure.sentence);
            continue;
        }
        double error = harness_ridge_error(tail, w);
        if (found && !(error < least)) continue;
        found = 1;
        least = error;
        best = weight[i];
    }
    return best;
}

static ag_status fit_ridge(tgraph_fit *f, const char *read, ag_failure *why)
{
    harness_moments head = {0}, tail = {0};
    size_t bytes = ((size_t)f->columns + 1) * sizeof *f->ridge, at = (size_t)f->fit;
    const float *x = f->x + at * (size_t)f->columns;
    f->ridge = ag_alloc(bytes);
    if (!f->ridge) return harness_files_no_memory("ridge regression", bytes, why);
    if (!harness_moments_open(&head, f->columns, why) &&
        !harness_moments_open(&tail, f->columns, why) &&
        !harness_moments_add(&head, f->x, f->y, f->fit, why) &&
        !harness_moments_add(&tail, x, f->y + at, f->rows - f->fit, why)) {
        double weight = choose_weight(f->ridge, &head, &tail, why);
        if (!why->status && !harness_moments_add(&head, x, f->y + at, f->rows - f->fit, why))
            harness_ridge_solve(f->ridge, &head, weight, why);
        snprintf(f->note[TGRAPH_BASELINE_RIDGE], sizeof f->note[0], "%s, weight %g per row", read,
                 weight);
    }
    harness_moments_close(&head);
    harness_moments_close(&tail);
    return why->status;
}

/* Running out of memory is a failure; after any other error this baseline is left out, and its note
   says why. */
static ag_status fit_boosting(tgraph_fit *f, const char *read, ag_failure *why)
{
    const tgraph_baseline_options *o = f->options;
    char *note = f->note[TGRAPH_BASELINE_BOOSTING];
    ag_failure failure = {0};
    const harness_boosting_options trees = {.seed = o->seed,
                                            .rounds = o->rounds,
                                            .depth = o->depth,
                                            .rate = o->rate,
                                            .progress = o->progress,
                                            .context = o->context};
    f->boosting = harness_boosting_fit(f->x, f->y, f->rows, f->columns, &trees, &failure);
    if (failure.status == AG_EMEMORY) return ag_fail(why, AG_EMEMORY, "%s", failure.sentence);
    if (!f->boosting)
        snprintf(note, sizeof f->note[0], "%.230s", failure.sentence);
    else if (harness_boosting_trees(f->boosting) < o->rounds) {
        harness_boosting_free(f->boosting);
        f->boosting = NULL;
        f->stopped = 1;
    } else
        snprintf(note, sizeof f->note[0], "%s, %d trees of depth %d, rate %g", read, o->rounds,
                 o->depth, o->rate);
    return AG_OK;
}

/* Baselines without a note of their own get this one. */
static void note_rest(tgraph_fit *f, const char *text)
{
    for (int k = TGRAPH_BASELINE_RIDGE; k < TGRAPH_BASELINES; k++)
        if (!*f->note[k]) snprintf(f->note[k], sizeof f->note[k], "%.230s", text);
}

/* Notes of baselines that cannot be had here. */
static void note_missing(tgraph_fit *f)
{
    ag_failure failure = {0};
    if (f->tile)
        snprintf(f->note[TGRAPH_BASELINE_ADDITIVE], sizeof f->note[0],
                 "for layout files alone: their rows describe the loops of layouts");
    if (harness_boosting_built()) return;
    harness_boosting_fit(NULL, NULL, 0, 0, NULL, &failure); /* says why */
    for (int k = TGRAPH_BASELINE_BOOSTING; k < TGRAPH_BASELINES; k++)
        if (!*f->note[k]) snprintf(f->note[k], sizeof f->note[k], "%.230s", failure.sentence);
}

/* The fits on f->x and f->y. */
static ag_status fit_columns(tgraph_fit *f, const char *read, double start, ag_failure *why)
{
    const double at = harness_seconds();
    if (!tgraph_fit_stop(f, "ridge", 0) && fit_ridge(f, read, why)) return why->status;
    const double then = harness_seconds();
    if (harness_boosting_built() && !tgraph_fit_stop(f, "boosting", 0) &&
        fit_boosting(f, read, why))
        return why->status;
    f->seconds[TGRAPH_BASELINE_RIDGE] = then - start;
    f->seconds[TGRAPH_BASELINE_BOOSTING] = harness_seconds() - then + at - start;
    ag_free(f->x);
    ag_free(f->y);
    f->x = NULL;
    f->y = NULL;
    return AG_OK;
}

ag_status tgraph_fit_open(tgraph_fit *f, const tgraph_baseline_part *parts, int count, int within,
                          const tgraph_baseline_options *options, ag_failure *why)
{
    char read[160] = "";
    const double start = harness_seconds();
    *f = (tgraph_fit){
        .options = options, .within = within, .tile = count > 0 && parts[0].tile != NULL};
    note_missing(f);
    if (tgraph_fit_stop(f, "columns", 0)) {
        note_rest(f, "left out: stopped");
        return AG_OK;
    }
    if (tgraph_fit_read(f, read, parts, count, why)) return why->status;
    if (f->rows < 2 || f->columns < 1) {
        note_rest(f, f->rows < 2 ? "nothing to fit: no program with run times to learn from"
                                 : "nothing to fit: all configurations are alike");
        return AG_OK;
    }
    if (fit_columns(f, read, start, why)) return why->status;
    if (!f->tile && harness_boosting_built() && !tgraph_fit_stop(f, "additive trees", 0) &&
        tgraph_fit_additive(f, parts, count, why))
        return why->status;
    note_rest(f, "left out: stopped");
    return AG_OK;
}

int tgraph_fit_has(const tgraph_fit *f, tgraph_baseline_kind kind)
{
    switch (kind) {
    case TGRAPH_BASELINE_RIDGE: return f->ridge != NULL;
    case TGRAPH_BASELINE_BOOSTING: return f->boosting != NULL;
    default: return f->additive != NULL;
    }
}

static double linear(const double *w, const float *x, int columns)
{
    double sum = w[columns];
    for (int k = 0; k < columns; k++) sum += w[k] * (double)x[k];
    return sum;
}

ag_status tgraph_fit_predict(double *score, tgraph_fit *f, tgraph_baseline_kind kind,
                             const tgraph_baseline_part *part, ag_failure *why)
{
    if (kind == TGRAPH_BASELINE_ADDITIVE) return tgraph_fit_additive_score(score, f, part, why);
    float pooled[TGRAPH_POOLED];
    size_t p = (size_t)f->columns, bytes = CHUNK * p * sizeof(float);
    float *x = ag_alloc(bytes);
    if (!x) return harness_files_no_memory("baselines", bytes, why);
    if (!f->within) tgraph_baseline_pool(pooled, tgraph_part_graph(part));
    for (int first = 0; first < part->count && !why->status; first += CHUNK) {
        int n = part->count - first < CHUNK ? part->count - first : CHUNK;
        for (int i = 0; i < n; i++) {
            int config = tgraph_part_config(part, first + i);
            tgraph_fit_row_features(x + (size_t)i * p, f, part, config, pooled);
            if (kind == TGRAPH_BASELINE_RIDGE)
                score[first + i] = linear(f->ridge, x + (size_t)i * p, f->columns);
        }
        if (kind == TGRAPH_BASELINE_BOOSTING)
            harness_boosting_predict(score + first, f->boosting, x, n, why);
    }
    ag_free(x);
    return why->status;
}

void tgraph_fit_close(tgraph_fit *f)
{
    tgraph_onehot_close(&f->onehot);
    harness_boosting_free(f->boosting);
    harness_boosting_free(f->additive);
    ag_free(f->pick);
    ag_free(f->raw);
    ag_free(f->mean);
    ag_free(f->scale);
    ag_free(f->x);
    ag_free(f->y);
    ag_free(f->ridge);
    *f = (tgraph_fit){0};
}
