/* SPDX-License-Identifier: MIT */
/* Assigns each file to a fit and scores it with the baselines. */
#include "examples/tgraph/baseline/baselines.h"

#include "examples/harness/harness.h"
#include "examples/tgraph/baseline/baseline_internal.h"

const char *tgraph_baseline_name(tgraph_baseline_kind kind)
{
    static const char *const name[TGRAPH_BASELINES] = {"random", "ridge", "boosting",
                                                       "additive trees"};
    return name[kind];
}

tgraph_baseline_part tgraph_baseline_train(const tgraph_file *f)
{
    return (tgraph_baseline_part){
        .file = f, .config = f->train, .count = f->train ? f->train_count : f->configs};
}

tgraph_baseline_part tgraph_baseline_held(const tgraph_file *f)
{
    return (tgraph_baseline_part){
        .file = f, .config = f->held, .count = f->held ? f->held_count : f->configs};
}

tgraph_baseline_part tgraph_baseline_tile(const tgraph_tile *t)
{
    return (tgraph_baseline_part){.tile = t, .count = t->configs};
}

tgraph_baseline_options tgraph_baseline_defaults(void)
{
    return (tgraph_baseline_options){.most_rows = 65536,
                                     .most_columns = 1536,
                                     .most_cells = 1 << 24,
                                     .rounds = 100,
                                     .depth = 6,
                                     .rate = 0.1,
                                     .additive_rounds = 2000,
                                     .additive_depth = 3,
                                     .additive_rate = 1};
}

/* ---- checks ---- */

static ag_status check_trees(const char *name, int rounds, int depth, double rate, ag_failure *why)
{
    if (rounds >= 1 && depth >= 1 && depth <= 16 && rate > 0 && rate <= 1) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "baselines: %s with %d trees of depth %d and rate %g was asked for; take at "
                   "least 1 tree, a depth of 1 to 16 and a rate above 0, up to 1",
                   name, rounds, depth, rate);
}

static ag_status check_options(const tgraph_baseline_options *o, ag_failure *why)
{
    if (o->most_rows < 2 || o->most_columns < 1 || o->most_cells < 2)
        return ag_fail(why, AG_EUSE,
                       "baselines: limits of %d rows, %d columns and %d cells leave nothing to fit;"
                       " give at least 2, 1 and 2",
                       o->most_rows, o->most_columns, o->most_cells);
    if (check_trees("boosting", o->rounds, o->depth, o->rate, why)) return why->status;
    return check_trees("additive trees", o->additive_rounds, o->additive_depth, o->additive_rate,
                       why);
}

static ag_status check_part(const tgraph_baseline_part *part, int index, ag_failure *why)
{
    if (!part->file == !part->tile)
        return ag_fail(why, AG_EUSE,
                       "baselines: part %d has %s file; give it a layout file or a tile file",
                       index, part->file ? "more than one" : "no");
    int configs = part->file ? part->file->configs : part->tile->configs;
    const char *path = harness_files_short(part->file ? part->file->path : part->tile->path);
    if (part->count < 1 || (!part->config && part->count > configs))
        return ag_fail(why, AG_EUSE,
                       "%s: %d configurations were asked for in the baselines; take 1 to %d", path,
                       part->count, configs);
    for (int i = 0; part->config && i < part->count; i++)
        if (part->config[i] < 0 || part->config[i] >= configs)
            return ag_fail(why, AG_EINDEX,
                           "%s: configuration %d was asked for in the baselines, but there are 0 "
                           "to %d",
                           path, part->config[i], configs - 1);
    return AG_OK;
}

static ag_status check(const tgraph_baseline_part *train, int trains,
                       const tgraph_baseline_part *parts, int count,
                       const tgraph_baseline_options *o, ag_failure *why)
{
    if (trains < 0 || count < 1 || o->own < 0 || o->own > trains)
        return ag_fail(why, AG_EUSE,
                       "baselines: %d parts to fit on, %d of them for their own files, and %d to "
                       "score; give at least one to score and no more for own files than to fit on",
                       trains, o->own, count);
    if (check_options(o, why)) return why->status;
    for (int i = 0; i < trains; i++)
        if (check_part(&train[i], i, why)) return why->status;
    for (int i = 0; i < count; i++)
        if (check_part(&parts[i], i, why)) return why->status;
    return AG_OK;
}

/* ---- one part ---- */

static void score_random(double *score, int count, int index, uint64_t seed)
{
    ag_random random = harness_stream(TGRAPH_RANDOM_SCORES, seed, (uint64_t)index);
    for (int i = 0; i < count; i++) score[i] = ag_random_uniform(&random);
}

/* shared: the number of parts that this fit is for. */
static ag_status score_part(tgraph_baseline_result *r, const tgraph_baseline_part *part, int index,
                            tgraph_fit *fit, int shared, ag_failure *why)
{
    size_t bytes = (size_t)part->count * sizeof(double);
    for (int k = 0; k < TGRAPH_BASELINES && !why->status; k++) {
        tgraph_baseline *b = &r->of[k];
        int random = k == TGRAPH_BASELINE_RANDOM;
        double start = harness_seconds();
        snprintf(b->note, sizeof b->note, "%s", random ? "uniform scores" : fit->note[k]);
        if (!random && !tgraph_fit_has(fit, (tgraph_baseline_kind)k)) continue;
        b->score = ag_alloc(bytes);
        if (!b->score)
            harness_files_no_memory("baselines", bytes, why);
        else if (random)
            score_random(b->score, part->count, index, fit->options->seed);
        else
            tgraph_fit_predict(b->score, fit, (tgraph_baseline_kind)k, part, why);
        b->seconds = harness_seconds() - start + fit->seconds[k] / shared;
    }
    return why->status;
}

/* ---- all parts ---- */

static const tgraph_baseline_part *own_part(const tgraph_baseline_part *train, int trains,
                                            const tgraph_file *file)
{
    for (int i = 0; file && i < trains; i++)
        if (train[i].file == file) return &train[i];
    return NULL;
}

/* Moves layout files to the front and tile files to the end; returns the number of layout files. */
static int sort_parts(tgraph_baseline_part *out, const tgraph_baseline_part *in, int count)
{
    int layouts = 0, n = 0;
    for (int i = 0; i < count; i++)
        if (in[i].file) out[layouts++] = in[i];
    n = layouts;
    for (int i = 0; i < count; i++)
        if (in[i].tile) out[n++] = in[i];
    return layouts;
}

static ag_status run_within(tgraph_baseline_result *r, const tgraph_baseline_part *own,
                            const tgraph_baseline_part *part, int index,
                            const tgraph_baseline_options *o, ag_failure *why)
{
    tgraph_fit fit;
    r->within = 1;
    if (!tgraph_fit_open(&fit, own, 1, 1, o, why)) score_part(r, part, index, &fit, 1, why);
    tgraph_fit_close(&fit);
    return why->status;
}

/* Fits the parts of one kind that have no fit of their own. */
static ag_status run_across(tgraph_baseline_result *result, const tgraph_baseline_part *train,
                            int trains, const tgraph_baseline_part *parts, int count, int tile,
                            const tgraph_baseline_options *o, ag_failure *why)
{
    tgraph_fit fit;
    int shared = 0;
    for (int i = 0; i < count; i++) shared += !result[i].within && tile == (parts[i].tile != NULL);
    if (!shared) return AG_OK;
    if (!tgraph_fit_open(&fit, train, trains, 0, o, why))
        for (int i = 0; i < count && !why->status; i++)
            if (!result[i].within && tile == (parts[i].tile != NULL))
                score_part(&result[i], &parts[i], i, &fit, shared, why);
    tgraph_fit_close(&fit);
    return why->status;
}

static ag_status run(tgraph_baseline_result *result, const tgraph_baseline_part *train, int trains,
                     const tgraph_baseline_part *parts, int count, const tgraph_baseline_options *o,
                     ag_failure *why)
{
    size_t bytes = ag_size_mul((size_t)trains, sizeof(tgraph_baseline_part));
    tgraph_baseline_part *sorted = ag_alloc(bytes);
    if (!sorted) return harness_files_no_memory("baselines", bytes, why);
    const int shared = trains - o->own, layouts = sort_parts(sorted, train, shared);
    for (int i = 0; i < count && !why->status; i++) {
        const tgraph_baseline_part *own = own_part(train, trains, parts[i].file);
        if (own) run_within(&result[i], own, &parts[i], i, o, why);
    }
    if (!why->status) run_across(result, sorted, layouts, parts, count, 0, o, why);
    if (!why->status)
        run_across(result, sorted + layouts, shared - layouts, parts, count, 1, o, why);
    ag_free(sorted);
    return why->status;
}

ag_status tgraph_baselines_run(tgraph_baseline_result *result, const tgraph_baseline_part *train,
                               int trains, const tgraph_baseline_part *parts, int count,
                               const tgraph_baseline_options *options, ag_failure *why)
{
    for (int i = 0; i < count; i++) result[i] = (tgraph_baseline_result){.count = parts[i].count};
    if (check(train, trains, parts, count, options, why)) return why->status;
    for (int i = 0; i < count; i++)
        result[i].name = parts[i].file ? parts[i].file->name : parts[i].tile->name;
    if (run(result, train, trains, parts, count, options, why))
        tgraph_baselines_free(result, count);
    return why->status;
}

void tgraph_baselines_free(tgraph_baseline_result *result, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < TGRAPH_BASELINES; k++) {
            ag_free(result[i].of[k].score);
            result[i].of[k].score = NULL;
        }
}
