/* SPDX-License-Identifier: MIT */
/* Fits ridge regression and boosted trees, and scores with them. */
#include "examples/tgraph/baseline/fit.h"

#include "core/error.h"
#include "examples/harness/baseline/ridge.h"

enum { CHUNK = 1024 }; /* configurations that are scored at a time */

static ag_status fit_ridge(tgraph_fit *f, const char *read, ag_failure *why)
{
    double weight = 0;
    f->ridge = HARNESS_NEW(f->ridge, (size_t)f->columns + 1);
    if (!harness_ridge_fit(f->ridge, &weight, f->x, f->y, f->rows, f->head, f->columns, why))
        f->ridge_note = harness_format("%s, weight %g per row", read, weight);
    return why->status;
}

static int watch(void *bar, const char *label, double done)
{
    harness_progress_update(bar, (int64_t)(done * 100), label);
    return harness_interrupted();
}

static ag_status fit_boosting(tgraph_fit *f, const char *read, harness_progress *bar,
                              ag_failure *why)
{
    ag_failure mine = {0};
    harness_boosting_options trees = harness_boosting_defaults();
    trees.progress = watch;
    trees.context = bar;
    f->boosting = harness_boosting_fit(f->x, f->y, f->rows, f->columns, &trees, &mine);
    if (mine.status == AG_EMEMORY) return ag_fail(why, AG_EMEMORY, "%s", mine.sentence);
    f->boosting_note = f->boosting ? harness_format("%s, %d trees of depth %d, rate %g", read,
                                                    trees.rounds, trees.depth, trees.rate)
                                   : harness_format("%s", mine.sentence);
    harness_go_on(why);
    return why->status;
}

ag_status tgraph_fit_open(tgraph_fit *f, bool within, const tgraph_part *parts, int count,
                          harness_progress *bar, ag_failure *why)
{
    const char *read;
    *f = (tgraph_fit){
        .within = within, .most_rows = 65536, .most_columns = 1536, .most_cells = 1 << 24};
    if (tgraph_fit_read(f, &read, parts, count, why)) return why->status;
    if (f->rows >= 2 && f->columns >= 1)
        return fit_ridge(f, read, why) ? why->status : fit_boosting(f, read, bar, why);
    f->ridge_note = f->boosting_note =
        f->rows < 2 ? "nothing to fit: no program with run times to learn from"
                    : "nothing to fit: all configurations are alike";
    return AG_OK;
}

ag_status tgraph_fit_score(double *ridge, double *boosting, tgraph_fit *f, const tgraph_part *part,
                           ag_failure *why)
{
    if (!f->ridge) return AG_OK;
    float pooled[TGRAPH_POOLED];
    const size_t p = (size_t)f->columns;
    float *x = HARNESS_NEW(x, CHUNK * p);
    if (!f->within) tgraph_pool(pooled, &part->file->graph);
    for (int first = 0; first < part->count && !why->status; first += CHUNK) {
        const int n = part->count - first < CHUNK ? part->count - first : CHUNK;
        for (int i = 0; i < n; i++) {
            float *row = x + (size_t)i * p;
            tgraph_fit_columns(row, f, part, tgraph_part_config(part, first + i), pooled);
            ridge[first + i] = harness_ridge_predict(f->ridge, row, f->columns);
        }
        if (f->boosting) harness_boosting_predict(boosting + first, f->boosting, x, n, why);
    }
    harness_free(x);
    return why->status;
}

void tgraph_fit_close(tgraph_fit *f)
{
    harness_boosting_free(f->boosting);
    void *const block[] = {f->key, f->raw, f->mean, f->scale, f->x, f->y, f->ridge};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) harness_free(block[i]);
    *f = (tgraph_fit){0};
}
