/* SPDX-License-Identifier: MIT */
/* The regressions on the rows of a fit, and their scores. */
#include "examples/tgraph/baseline/baseline_internal.h"
#include "examples/harness/harness.h"

#include <string.h>

enum { CHUNK = 1024 }; /* configurations that are scored at a time */

static int stop(tgraph_fit *f, const char *label, double done)
{
    const tgraph_baseline_options *o = f->options;
    if (!f->stopped && o->progress) f->stopped = o->progress(o->context, label, done) != 0;
    return f->stopped;
}

static ag_status fit_ridge(tgraph_fit *f, const char *read, ag_failure *why)
{
    double weight = 0;
    f->ridge = harness_alloc(((size_t)f->columns + 1) * sizeof *f->ridge);
    if (!harness_ridge_fit(f->ridge, &weight, f->x, f->y, f->rows, f->fit, f->columns, why))
        snprintf(f->note[TGRAPH_BASELINE_RIDGE], sizeof f->note[0], "%s, weight %g per row", read,
                 weight);
    return why->status;
}

/* Running out of memory is a failure; after any other error this baseline is left out, and its note
   says why. */
static ag_status fit_boosting(tgraph_fit *f, const char *read, ag_failure *why)
{
    const tgraph_baseline_options *o = f->options;
    char *note = f->note[TGRAPH_BASELINE_BOOSTING];
    ag_failure failure = {0};
    harness_boosting_options trees = harness_boosting_defaults();
    trees.seed = o->seed;
    trees.progress = o->progress;
    trees.context = o->context;
    f->boosting = harness_boosting_fit(f->x, f->y, f->rows, f->columns, &trees, &failure);
    if (failure.status == AG_EMEMORY) return ag_fail(why, AG_EMEMORY, "%s", failure.sentence);
    if (!f->boosting)
        snprintf(note, sizeof f->note[0], "%.230s", failure.sentence);
    else if (harness_boosting_trees(f->boosting) < trees.rounds) {
        harness_boosting_free(f->boosting);
        f->boosting = NULL;
        f->stopped = 1;
    } else
        snprintf(note, sizeof f->note[0], "%s, %d trees of depth %d, rate %g", read, trees.rounds,
                 trees.depth, trees.rate);
    return AG_OK;
}

/* Baselines without a note of their own get this one. */
static void note_rest(tgraph_fit *f, const char *text)
{
    for (int k = TGRAPH_BASELINE_RIDGE; k < TGRAPH_BASELINES; k++)
        if (!*f->note[k]) snprintf(f->note[k], sizeof f->note[k], "%.230s", text);
}

/* The note of boosting where it cannot be had. */
static void note_missing(tgraph_fit *f)
{
    char *note = f->note[TGRAPH_BASELINE_BOOSTING];
    ag_failure failure = {0};
    if (harness_boosting_built()) return;
    harness_boosting_fit(NULL, NULL, 0, 0, NULL, &failure); /* says why */
    snprintf(note, sizeof f->note[0], "%.230s", failure.sentence);
}

/* The fits on f->x and f->y. */
static ag_status fit_columns(tgraph_fit *f, const char *read, ag_failure *why)
{
    if (!stop(f, "ridge", 0) && fit_ridge(f, read, why)) return why->status;
    if (harness_boosting_built() && !stop(f, "boosting", 0) && fit_boosting(f, read, why))
        return why->status;
    harness_free(f->x);
    harness_free(f->y);
    f->x = NULL;
    f->y = NULL;
    return AG_OK;
}

ag_status tgraph_fit_open(tgraph_fit *f, const tgraph_baseline_part *parts, int count, int within,
                          const tgraph_baseline_options *options, ag_failure *why)
{
    char read[160] = "";
    *f = (tgraph_fit){.options = options, .within = within};
    note_missing(f);
    if (!stop(f, "columns", 0)) {
        if (tgraph_fit_read(f, read, parts, count, why)) return why->status;
        if (f->rows < 2 || f->columns < 1)
            note_rest(f, f->rows < 2 ? "nothing to fit: no program with run times to learn from"
                                     : "nothing to fit: all configurations are alike");
        else if (fit_columns(f, read, why))
            return why->status;
    }
    note_rest(f, "left out: stopped");
    return AG_OK;
}

ag_status tgraph_fit_predict(double *score, tgraph_fit *f, tgraph_baseline_kind kind,
                             const tgraph_baseline_part *part, ag_failure *why)
{
    float pooled[TGRAPH_POOLED];
    const size_t p = (size_t)f->columns;
    float *x = harness_alloc(CHUNK * p * sizeof *x);
    if (!f->within) tgraph_baseline_pool(pooled, &part->file->graph);
    for (int first = 0; first < part->count && !why->status; first += CHUNK) {
        int n = part->count - first < CHUNK ? part->count - first : CHUNK;
        for (int i = 0; i < n; i++) {
            int config = tgraph_part_config(part, first + i);
            tgraph_fit_row_features(x + (size_t)i * p, f, part, config, pooled);
            if (kind == TGRAPH_BASELINE_RIDGE)
                score[first + i] = harness_ridge_predict(f->ridge, x + (size_t)i * p, f->columns);
        }
        if (kind == TGRAPH_BASELINE_BOOSTING)
            harness_boosting_predict(score + first, f->boosting, x, n, why);
    }
    harness_free(x);
    return why->status;
}

void tgraph_fit_close(tgraph_fit *f)
{
    tgraph_onehot_close(&f->onehot);
    harness_boosting_free(f->boosting);
    void *const block[] = {f->pick, f->raw, f->mean, f->scale, f->x, f->y, f->ridge};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) harness_free(block[i]);
    *f = (tgraph_fit){0};
}
