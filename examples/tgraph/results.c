/* SPDX-License-Identifier: MIT */
/* Opens, scores and calibrates the results of a call. */
#include "examples/tgraph/hooks.h"

#include "examples/harness/rank/monotone.h"
#include "metrics/metrics.h"

#include <string.h>

#define OTHERS                                                                           \
 HARNESS_OPA, HARNESS_TIED, HARNESS_SLOWDOWN_1, HARNESS_SLOWDOWN_5, HARNESS_SLOWDOWN_10, \
     HARNESS_SLOWDOWN_100, HARNESS_MEASURES

static const harness_measure measures[2][8] = {{HARNESS_TAU_B, OTHERS}, {HARNESS_TAU_A, OTHERS}};

static harness_rank_form form_of(int tau_a)
{
    return (harness_rank_form){.kind = "layout",
                               .row = "file",
                               .rows = "files",
                               .items = "configurations",
                               .hold_out = "--split or --valid holds something out",
                               .measure = measures[tau_a],
                               .main = 2,
                               .against = "boosting"};
}

void tgraph_results_form(harness_rank_form *form, const void *net, const harness_settings *settings)
{
    (void)net;
    *form = form_of(((const tgraph_settings *)settings)->tau);
}

tgraph_calibration tgraph_calibration_open(harness_rank *rank, const tgraph_entry *e)
{
    tgraph_calibration c = {0};
    if (!tgraph_entry_split(e)) return c;
    const int all = e->file->train_count, apart = (all - 1) / TGRAPH_CALIBRATES + 1;
    c.count = (all - 1) / apart + 1;
    c.item = harness_rank_alloc(rank, (size_t)c.count * sizeof *c.item);
    c.score = harness_rank_alloc(rank, (size_t)c.count * sizeof *c.score);
    for (int i = 0; i < c.count; i++) c.item[i] = e->file->train[i * apart];
    return c;
}

static const char on_calibrated[] =
    "the places among training configurations of the same file that the scores stand for, by a "
    "rising step function; scores that it cannot tell apart tie";

static void open_calibration(tgraph_results *r)
{
    int split = 0;
    for (int i = 0; i < r->rank.groups; i++) {
        r->calibration[i] = tgraph_calibration_open(&r->rank, r->entry[i]);
        split |= r->calibration[i].count > 0;
    }
    if (!split) return;
    r->calibrated = r->rank.methods;
    harness_rank_method(&r->rank, harness_format("%s, calibrated", r->rank.name),
                        harness_copy(on_calibrated));
    for (int i = 0; i < r->rank.groups; i++)
        if (!r->calibration[i].count) harness_rank_absent(&r->rank, r->calibrated, i);
}

/* Draws n of the configurations to score, ascending as in a whole evaluation. */
static int32_t *draw(harness_rank *rank, const tgraph_entry *e, int n, uint64_t seed)
{
    int32_t *order = HARNESS_NEW(order, e->items), taken = 0;
    int32_t *drawn = harness_rank_alloc(rank, (size_t)n * sizeof *drawn);
    harness_shuffle(order, e->items,
                    harness_stream(HARNESS_STREAM_PERMUTATION, seed, (uint64_t)rank->groups));
    for (int c = 0; c < e->items; c++)
        if (order[c] < n) drawn[taken++] = tgraph_entry_item(e, c);
    harness_free(order);
    return drawn;
}

/* limit 0: all configurations. */
static void add_group(tgraph_results *r, const tgraph_entry *e, int limit, uint64_t seed)
{
    harness_rank *rank = &r->rank;
    const tgraph_file *f = e->file;
    const int n = limit && limit < e->items ? limit : e->items;
    const int32_t *item = n < e->items ? draw(rank, e, n, seed) : e->item;
    int64_t *actual = harness_rank_alloc(rank, (size_t)n * sizeof *actual);
    for (int i = 0; i < n; i++) actual[i] = f->runtime[item ? item[i] : i];
    r->entry[rank->groups] = e;
    r->path[rank->groups] = (char *)(uintptr_t)f->path;
    harness_rank_group(rank, (harness_ranked){.name = f->name,
                                              .items = n,
                                              .number = item,
                                              .actual = f->has_runtimes ? actual : NULL});
}

static void open_groups(tgraph_results *r, tgraph_files *files, const tgraph_settings *s)
{
    const tgraph_set *set = &files->set;
    const size_t room = (size_t)set->count;
    harness_rank *rank = &r->rank;
    r->files = files;
    r->path = harness_rank_alloc(rank, room * sizeof *r->path);
    r->entry = harness_rank_alloc(rank, room * sizeof *r->entry);
    r->calibration = harness_rank_alloc(rank, room * sizeof *r->calibration);
    for (int i = 0; i < set->count; i++) {
        const tgraph_entry *e = &set->entry[i];
        if (e->score) add_group(r, e, r->rank.sample ? s->eval_limit : 0, (uint64_t)s->split_seed);
    }
    const harness_files paths = {r->path, rank->groups};
    char **file = harness_rank_names(rank, &paths, rank->groups, "");
    for (int i = 0; i < rank->groups; i++) rank->group[i].name = file[i];
    rank->form = form_of(s->tau);
    rank->title = harness_text("%s (%s), %d file%s", rank->name, rank->form.kind, set->trained,
                               set->trained == 1 ? "" : "s");
    harness_rank_method(rank, rank->name, NULL);
}

void tgraph_results_open(void *results, void *files, const harness_settings *settings)
{
    open_groups(results, files, (const tgraph_settings *)settings);
    if (!((tgraph_results *)results)->rank.sample) open_calibration(results);
}

ag_status tgraph_results_add(void *results, const harness_trained *t, const harness_scoring *how,
                             ag_failure *why)
{
    tgraph_results *r = results;
    tgraph_set *set = &r->files->set;
    const tgraph_settings *s = (const tgraph_settings *)how->settings;
    const tgraph_trained *net = t->net;
    double *score = r->rank.score[0];
    int64_t total = r->rank.items;
    tgraph_scorer scorer = {.model = &net->model, .how = how};
    if (!r->files->training) {
        tgraph_set_scale(set, &net->scaler);
        if (tgraph_set_programs(set, &net->model.options, why)) return why->status;
    }
    for (int i = 0; i < r->rank.groups; i++) total += r->calibration[i].count;
    harness_progress_start(&scorer.bar, how->patient ? "validation" : "score", 0,
                           total * (s->tta > 0 ? s->tta : 1));
    if (how->patient) scorer.bar.shown = false; /* there is the one of the steps */
    for (int i = 0; i < r->rank.groups && !why->status; i++) {
        const harness_ranked *g = &r->rank.group[i];
        const tgraph_calibration *c = &r->calibration[i];
        if (!tgraph_score(&scorer, r->entry[i], g->number, g->items, score + g->first, why))
            tgraph_score(&scorer, r->entry[i], c->item, c->count, c->score, why);
    }
    harness_progress_end(&scorer.bar);
    tgraph_batch_free(&scorer.batch);
    return why->status;
}

void tgraph_results_repeat(void *results)
{
    tgraph_results *r = results;
    tpugraphs_noise(&r->rank, (const char *const *)r->path);
}

/* The fit is to ranks instead of run times: tau depends only on the order, and a few
   configurations that are much slower than all others would outweigh the rest. */
static ag_status calibrate_file(double *calibrated, const tgraph_calibration *c,
                                const tgraph_entry *e, const double *score, ag_failure *why)
{
    double *runtime = HARNESS_NEW(runtime, 2 * (size_t)c->count);
    double *place = runtime + c->count;
    harness_monotone m = {0};
    ag_failure mine = {0};
    for (int i = 0; i < c->count; i++) runtime[i] = (double)e->file->runtime[c->item[i]];
    if (!ag_places(place, runtime, c->count, &mine) &&
        !harness_monotone_fit(&m, c->score, place, c->count, &mine))
        for (int i = 0; i < e->items; i++) calibrated[i] = harness_monotone_at(&m, score[i]);
    if (mine.status)
        ag_fail(why, mine.status, "%.200s, training configurations: %s", e->file->path,
                mine.sentence);
    harness_free(runtime);
    return why->status;
}

ag_status tgraph_results_compute(void *results, ag_failure *why)
{
    const tgraph_results *r = results;
    const harness_rank *rank = &r->rank;
    for (int i = 0; i < rank->groups && !why->status; i++)
        if (r->calibration[i].count)
            calibrate_file(rank->score[r->calibrated] + rank->group[i].first, &r->calibration[i],
                           r->entry[i], rank->score[0] + rank->group[i].first, why);
    return why->status ? why->status : harness_rank_compute(results, why);
}

/* ---- scores that are all equal ---- */

static bool same_inputs(const tgraph_entry *e)
{
    const tgraph_file *f = e->file;
    const size_t bytes = (size_t)f->store.width * sizeof *f->store.word;
    const uint32_t *first = tgraph_file_words(f, tgraph_entry_item(e, 0));
    for (int i = 1; i < e->items; i++)
        if (memcmp(first, tgraph_file_words(f, tgraph_entry_item(e, i)), bytes) != 0) return false;
    return true;
}

const char *tgraph_results_alike(const void *results, int group)
{
    const tgraph_results *r = results;
    const tgraph_entry *e = r->entry[group];
    const tgraph_file *f = e->file;
    if (same_inputs(e)) return "its configurations do not differ in what the model reads";
    if (f->graph.nodes == 1)
        return "the network reads how nodes differ from each other, and pruning leaves one "
               "node of the graph";
    return NULL;
}
