/* SPDX-License-Identifier: MIT */
/* Data, network and steps of TGraph, for the harness. */
#include "examples/tgraph/shell.h"

static const tgraph_settings *settings_of(const harness_session *s)
{
    return (const tgraph_settings *)s->settings;
}

static const tgraph_set *set_of(const harness_session *s)
{
    return &((const tgraph_files *)s->data)->set;
}

/* ---- data ---- */

/* Without them many rows are wrong: on TpuGraphs' alexnet the paper's mode is better by far. */
static void warn_of_operands(const tgraph_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (set->entry[i].train && !set->entry[i].file->physical.ordered) {
            harness_warn("%s does not say in which order nodes take their operands, so physical "
                         "mode has to guess; --mode paper may rank such files better",
                         set->entry[i].path);
            return;
        }
}

static ag_status read_all(harness_session *session, ag_failure *why)
{
    tgraph_files *f = session->data;
    const tgraph_settings *s = settings_of(session);
    f->training = 1;
    if (tgraph_set_train(&f->set, s, why)) return why->status;
    if (tgraph_settings_model(s, f->set.tile).mode == TGRAPH_PHYSICAL) warn_of_operands(&f->set);
    return AG_OK;
}

static void close_files(void *data)
{
    tgraph_files *f = data;
    tgraph_learn_close(&f->learn);
    tgraph_set_close(&f->set);
}

/* Without held-out files or configurations there are no scores to compare. */
static ag_status holds_out(const harness_settings *settings, ag_failure *why)
{
    const tgraph_settings *s = (const tgraph_settings *)settings;
    if (s->split > 0 || s->folds > 0 || settings->common.valid.count > 0) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "a study compares scores, but nothing is held out; give --split 0.8, --valid or "
                   "--folds");
}

/* ---- steps ---- */

/* The authors' rate, and in physical mode the one that was best on validation files. */
static double usual_rate(const harness_session *session)
{
    const tgraph_settings *s = settings_of(session);
    const tgraph_options model = tgraph_settings_model(s, set_of(session)->tile);
    return model.mode == TGRAPH_PHYSICAL ? 2e-3 : 1e-3;
}

/* Converts --epochs to steps, and chooses the learning rate that is not given. */
static ag_status plan(harness_session *session, ag_failure *why)
{
    const tgraph_set *set = set_of(session);
    const int64_t epochs = settings_of(session)->epochs;
    int64_t files = 0;
    for (int i = 0; i < set->count; i++) files += set->entry[i].train;
    if (epochs > INT64_MAX / files)
        return ag_fail(why, AG_EUSE, "--epochs is %lld, which is too many steps with %lld files",
                       (long long)epochs, (long long)files);
    if (epochs > 0) session->how.steps = epochs * files;
    if (session->how.learning_rate == 0) session->how.learning_rate = usual_rate(session);
    return AG_OK;
}

/* Chooses configurations of a file for validations during training, the same ones each time. */
static void choose_sample(tgraph_steps *t, const tgraph_entry *e, const tgraph_settings *s)
{
    const int limit = s->eval_limit, k = t->rank.groups;
    const int n = limit && limit < e->items ? limit : e->items;
    int32_t *order = harness_alloc((size_t)e->items * sizeof *order), taken = 0;
    int32_t *chosen = harness_rank_alloc(&t->rank, (size_t)n * sizeof *chosen);
    harness_permutation(order, e->items, (uint64_t)s->split_seed, (uint64_t)k);
    for (int c = 0; c < e->items; c++) /* ascending, as in a whole evaluation */
        if (order[c] < n) chosen[taken++] = tgraph_entry_item(e, c);
    harness_free(order);
    t->scored[k] = e;
    tgraph_results_group(&t->rank, e, chosen, n);
}

static void choose_samples(tgraph_steps *t, const tgraph_set *set, const tgraph_settings *s)
{
    t->rank.form = tgraph_results_form(set->tile, s->tau);
    t->scored = harness_rank_alloc(&t->rank, (size_t)set->count * sizeof *t->scored);
    for (int i = 0; i < set->count; i++)
        if (set->entry[i].score) choose_sample(t, &set->entry[i], s);
    harness_rank_method(&t->rank, "TGraph", NULL);
}

static ag_status begin(harness_session *session, ag_failure *why)
{
    const tgraph_settings *s = settings_of(session);
    const tgraph_trained *net = session->trained.net;
    tgraph_steps *t = session->feed;
    choose_samples(t, set_of(session), s);
    t->scorer = (tgraph_scorer){.model = &net->model,
                                .rows = tgraph_trained_rows(net),
                                .tape = session->tape,
                                .configs = s->eval_configs,
                                .patient = 1};
    return tgraph_feed_open(&t->feed, set_of(session), tgraph_trained_rows(net), s->configs,
                            (uint64_t)s->shell.common.seed, session->trained.state->step, why);
}

static void end(void *feed)
{
    tgraph_steps *t = feed;
    tgraph_feed_close(&t->feed);
    tgraph_scorer_close(&t->scorer);
    harness_rank_close(&t->rank);
}

static ag_tensor *loss_of(const tgraph_settings *s, ag_tensor *score, ag_tensor *rank)
{
    const ag_reduction reduction = s->reduction ? AG_SUM : AG_MEAN;
    switch (s->loss) {
    case TGRAPH_LOSS_LOGISTIC: return ag_pairwise_logistic(score, rank, reduction);
    case TGRAPH_LOSS_LISTMLE: return ag_listmle(score, rank);
    default: return ag_pairwise_hinge(score, rank, (ag_real)s->margin, reduction);
    }
}

/* Records the loss of the first n configurations of the step's work. */
static ag_tensor *record_first(void *user, ag_tape *tape, int n, ag_failure *why)
{
    const harness_session *session = user;
    const tgraph_model *model = &((const tgraph_trained *)session->trained.net)->model;
    const tgraph_work *w = &((const tgraph_steps *)session->feed)->work;
    const tgraph_entry *e = w->entry;
    (void)why;
    ag_tensor *score = e->tile ? tgraph_tile_forward(model, tape, &e->program, e->tile->feature, n)
                               : tgraph_batch_forward(model, tape, &e->program, w->batch, n);
    ag_name(score, "scores");
    if (model->options.mode == TGRAPH_PHYSICAL && settings_of(session)->loss == TGRAPH_LOSS_AUTO)
        return tgraph_spread_loss(score, &w->batch->physical);
    const int32_t *rank = e->tile ? e->tile->rank : w->batch->rank;
    return loss_of(settings_of(session), score, ag_input_i32(tape, rank, AG_SHAPE(n)));
}

static int configs_of(const tgraph_work *w)
{
    return w->entry->tile ? w->entry->configs : w->batch->configs;
}

/* Records the loss of some configurations of one graph, with their order as the target. */
static ag_tensor *record(void *user, ag_tape *tape, int64_t step, const char **what,
                         ag_failure *why)
{
    harness_session *session = user;
    tgraph_steps *t = session->feed;
    if (tgraph_feed_next(&t->feed, step, &t->work, why)) return NULL;
    *what = t->work.entry->name;
    return record_first(session, tape, configs_of(&t->work), why);
}

/* A step takes all configurations of a tile file. */
static harness_portion portion(void *user)
{
    const harness_session *session = user;
    const tgraph_work *w = &((const tgraph_steps *)session->feed)->work;
    return (harness_portion){.what = "configurations",
                             .options = w->entry->tile ? "their number in the file" : "--configs",
                             .count = configs_of(w),
                             .training = 1,
                             .user = user,
                             .record = record_first};
}

static ag_status validate(void *user, double *measure, ag_failure *why)
{
    harness_session *session = user;
    tgraph_steps *t = session->feed;
    for (int i = 0; i < t->rank.groups && !why->status; i++) {
        const harness_ranked *g = &t->rank.group[i];
        tgraph_score(&t->scorer, t->scored[i], g->number, g->items, t->rank.score[0] + g->first,
                     why);
    }
    if (!why->status && !harness_rank_compute(&t->rank, why))
        harness_rank_values(measure, &t->rank);
    return why->status;
}

/* ---- results ---- */

static void open_results(void *results, void *data, const harness_settings *settings)
{
    tgraph_files *f = data;
    tgraph_results_open(results, &f->set, ((const tgraph_settings *)settings)->tau);
    ((tgraph_results *)results)->files = f;
}

static ag_status add(void *results, const harness_trained *t, const harness_scoring *how,
                     ag_failure *why)
{
    const tgraph_settings *s = (const tgraph_settings *)how->settings;
    const tgraph_trained *net = t->net;
    tgraph_results *r = results;
    tgraph_set *set = &r->files->set;
    tgraph_scorer scorer = {.model = &net->model,
                            .rows = tgraph_trained_rows(net),
                            .tape = how->tape,
                            .configs = s->eval_configs,
                            .tta = s->tta};
    if (r->files->training || (!tgraph_set_scale(set, &net->checkpoint.scalers, why) &&
                               !tgraph_set_programs(set, &net->model.options, why)))
        tgraph_results_add(r, &scorer, how->models, why);
    tgraph_scorer_close(&scorer);
    return why->status;
}

static ag_status compare(void *results, ag_failure *why)
{
    const tgraph_files *f = ((const tgraph_results *)results)->files;
    if (!f->training) return tgraph_results_baselines(results, f->learn.entry, f->learn.count, why);
    const tgraph_entry **learn = harness_alloc((size_t)f->set.count * sizeof *learn);
    int n = 0;
    for (int i = 0; i < f->set.count; i++)
        if (f->set.entry[i].train) learn[n++] = &f->set.entry[i];
    tgraph_results_baselines(results, learn, n, why);
    harness_free(learn);
    return why->status;
}

/* The kind of the first file decides which measures a study has. */
static int columns(const char **name, const harness_settings *settings, ag_failure *why)
{
    harness_files paths = {0};
    int tile = 0;
    if (!harness_files_add(&paths, settings->common.data.list[0], why))
        tile = tgraph_is_tile(paths.path[0], why);
    harness_files_free(&paths);
    if (why->status) return -1;
    const harness_rank_form form =
        tgraph_results_form(tile, ((const tgraph_settings *)settings)->tau);
    return harness_rank_studied(name, &form);
}

const harness_model tgraph_shell = {.program = &tgraph_program_table,
                                    .network = &tgraph_shell_network,
                                    .data_bytes = sizeof(tgraph_files),
                                    .feed_bytes = sizeof(tgraph_steps),
                                    .read = read_all,
                                    .read_scored = tgraph_shell_read_scored,
                                    .read_fit = tgraph_shell_read_fit,
                                    .close = close_files,
                                    .inspect_file = tgraph_inspect,
                                    .plan = plan,
                                    .begin = begin,
                                    .record = record,
                                    .portion = portion,
                                    .validate = validate,
                                    .end = end,
                                    HARNESS_RANKED,
                                    .results_bytes = sizeof(tgraph_results),
                                    .columns = columns,
                                    .holds_out = holds_out,
                                    .open = open_results,
                                    .add = add,
                                    .compare = compare,
                                    .repeat = tgraph_results_repeat,
                                    .compute = tgraph_results_compute,
                                    .close_results = tgraph_results_close,
                                    .held_out = "Held-out configurations, best checkpoint",
                                    .write = tgraph_shell_write};
