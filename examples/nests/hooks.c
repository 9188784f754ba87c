/* SPDX-License-Identifier: MIT */
/* Data, network and steps of nests, for the harness. */
#include "examples/harness/commands/loader.h"
#include "examples/nests/hooks.h"
#include "examples/nests/steps.h"

static ag_status read_all(harness_session *session, ag_failure *why)
{
    nests_settings *s = (nests_settings *)session->settings;
    if (nests_files_train(session->data, s, why)) return why->status;
    if (s->fit == NESTS_TREES) s->harness.training.steps = 1; /* which shows their loss */
    return AG_OK;
}

/* The data of the steps of a run. */
typedef struct nests_feed {
    const nests_maker *maker;
    nests_sampler sampler;
    nests_batch buffer[2];
    harness_loader *loader;
} nests_feed;

static ag_status begin(harness_session *session, ag_failure *why)
{
    const nests_set *train = &((const nests_files *)session->data)->train;
    const nests_model *m = &((const nests_trained *)session->trained.net)->model;
    nests_feed *f = session->feed;
    f->maker = train->data.maker;
    if (nests_sampler_open(&f->sampler, train, &m->scale, (const nests_settings *)session->settings,
                           why))
        return why->status;
    f->loader = harness_loader_new(nests_sampler_fill, &f->sampler, &f->buffer[0], &f->buffer[1],
                                   &session->batches, true);
    return why->status;
}

static void end(void *feed)
{
    nests_feed *f = feed;
    harness_loader_free(f->loader);
    for (int i = 0; i < 2; i++) nests_batch_free(&f->buffer[i], f->maker);
    nests_sampler_close(&f->sampler);
}

/* The losses of the trees in place of networks that are not there. */
static void score_by_trees(nests_batch *b, const nests_model *m)
{
    double *value = HARNESS_NEW(value, b->items);
    nests_trees_score(value, m, b);
    for (int i = 0; i < b->count; i++) b->by_trees[i] = (ag_real)value[i];
    harness_free(value);
}

static ag_tensor *record(void *user, ag_tape *tape, int64_t number, const char **what,
                         ag_failure *why)
{
    harness_session *session = user;
    const nests_model *m = &((const nests_trained *)session->trained.net)->model;
    nests_feed *f = session->feed;
    nests_batch *b = harness_loader_next(f->loader, why);
    (void)number;
    if (!b) return NULL;
    *what = b->first->name;
    if (!m->members) score_by_trees(b, m);
    return nests_loss_of_members(m, tape, b, f->maker->absolute,
                                 (const nests_settings *)session->settings);
}

static const char *name_of(const void *net)
{
    (void)net;
    return "nests";
}

static const char *files(const harness_settings *settings)
{
    ag_failure none = {0};
    const nests_maker *kind = nests_kind_of(&settings->common.data, &none);
    return kind ? kind->files : NULL;
}

const harness_model nests_hooks = {.program = &nests_program_table,
                                   .network = &nests_network,
                                   .data_bytes = sizeof(nests_files),
                                   .feed_bytes = sizeof(nests_feed),
                                   .files = files,
                                   .read = read_all,
                                   .read_scored = nests_files_score,
                                   .name = name_of,
                                   .form = nests_results_form,
                                   .close = nests_files_close,
                                   .begin = begin,
                                   .record = record,
                                   .fewer = "--groups or --items",
                                   .end = end,
                                   .results_bytes = sizeof(nests_results),
                                   .open = nests_results_open,
                                   .add = nests_results_add,
                                   .compare = nests_results_compare,
                                   .repeat = nests_results_repeat,
                                   .compute = harness_rank_compute,
                                   .held_out = "Held-out groups, best checkpoint"};
