/* SPDX-License-Identifier: MIT */
/* The baselines that TGraph has to beat, on the configurations that it was scored on: random
   scores, ridge regression, and gradient boosting, also with rounded scores. */
#include "examples/tgraph/baseline/fit.h"
#include "examples/tgraph/hooks.h"

#include <math.h>

enum { RANDOM, RIDGE, BOOSTING, ROUNDED, BASELINES };
enum { RANDOM_SCORES = 64 }; /* a Philox stream of their own */

static const char on_rounded[] =
    "the scores of boosting, rounded to three digits after the point: closer ones tie, as equally "
    "fast configurations do, which tau-b rewards";

static tgraph_part train_part(const tgraph_file *f)
{
    return (tgraph_part){.file = f, .config = f->train, .count = f->train_count};
}

static const char *note_of(int kind, const tgraph_fit *f)
{
    if (kind == RANDOM) return "uniform scores";
    if (kind == RIDGE) return f->ridge_note;
    return kind == ROUNDED && f->boosting ? on_rounded : f->boosting_note;
}

/* Scores a group by each baseline that is there; the notes are those of the first group. */
static ag_status score_group(harness_rank *rank, int group, const tgraph_part *part,
                             tgraph_fit *fit, ag_failure *why)
{
    const int first = rank->methods - BASELINES;
    double *score[BASELINES];
    for (int k = 0; k < BASELINES; k++) {
        score[k] = rank->score[first + k] + rank->group[group].first;
        if (!group) rank->note[first + k] = harness_copy(note_of(k, fit));
        if (k != RANDOM && !(k == RIDGE ? fit->ridge != NULL : fit->boosting != NULL))
            harness_rank_absent(rank, first + k, group);
    }
    ag_random random = harness_stream(RANDOM_SCORES, 0, (uint64_t)group);
    for (int i = 0; i < part->count; i++) score[RANDOM][i] = ag_random_uniform(&random);
    if (tgraph_fit_score(score[RIDGE], score[BOOSTING], fit, part, why)) return why->status;
    for (int i = 0; fit->boosting && i < part->count; i++)
        score[ROUNDED][i] = rint(score[BOOSTING][i] * 1000) / 1000;
    return AG_OK;
}

/* Scores the groups whose files were split each by a fit of its own, or all others by a fit to
   `train`. */
static ag_status score_groups(tgraph_results *r, bool split, const tgraph_part *train, int trains,
                              harness_progress *bar, ag_failure *why)
{
    tgraph_fit fit = {0};
    bool fitted = false;
    for (int i = 0; i < r->rank.groups && !why->status; i++) {
        const tgraph_entry *e = r->entry[i];
        const tgraph_part part = {e->file, e->item, e->items}, own = train_part(e->file);
        if (tgraph_entry_split(e) != split) continue;
        if (split) tgraph_fit_close(&fit);
        if ((fitted && !split) ||
            !tgraph_fit_open(&fit, split, split ? &own : train, split ? 1 : trains, bar, why))
            score_group(&r->rank, i, &part, &fit, why);
        fitted = true;
    }
    tgraph_fit_close(&fit);
    return why->status;
}

ag_status tgraph_results_baselines(void *results, ag_failure *why)
{
    tgraph_results *r = results;
    const tgraph_set *learn = r->files->training ? &r->files->set : &r->files->fit;
    static const char *const name[BASELINES] = {"random", "ridge", "boosting",
                                                "boosting, 3 digits"};
    tgraph_part *train = HARNESS_NEW(train, learn->count);
    harness_progress bar;
    int trains = 0;
    if (r->rank.groups) {
        for (int i = 0; i < learn->count; i++)
            if (learn->entry[i].train) train[trains++] = train_part(learn->entry[i].file);
        for (int k = 0; k < BASELINES; k++) harness_rank_method(&r->rank, name[k], NULL);
        harness_progress_start(&bar, "baselines", 0, 100);
        if (!score_groups(r, true, train, trains, &bar, why))
            score_groups(r, false, train, trains, &bar, why);
        harness_progress_end(&bar);
    }
    harness_free(train);
    return why->status;
}
