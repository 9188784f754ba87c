/* SPDX-License-Identifier: MIT */
/* Data, network and steps of nests, for the harness. */
#include "examples/nests/hooks.h"
#include "examples/nests/steps.h"

static ag_status read_all(harness_session *session, ag_failure *why)
{
    nests_settings *s = (nests_settings *)session->settings;
    if (nests_files_train(session->data, s, why)) return why->status;
    if (s->fit == NESTS_TREES) s->harness.training.steps = 1; /* which shows their loss */
    return AG_OK;
}

static ag_status begin(harness_session *session, ag_failure *why)
{
    const nests_set *train = &((const nests_files *)session->data)->train;
    const nests_model *m = &((const nests_trained *)session->trained.net)->model;
    return nests_sampler_open(session->feed, train, &m->scale,
                              (const nests_settings *)session->settings, why);
}

/* The losses of the trees in place of networks that are not there. */
static void score_by_trees(nests_batch *b, const nests_model *m)
{
    double *value = HARNESS_NEW(value, b->items);
    nests_trees_score(value, m, b);
    for (int i = 0; i < b->count; i++) b->by_trees[i] = (ag_real)value[i];
    harness_free(value);
}

static ag_tensor *record(const harness_session *session, ag_tape *tape, const char **what)
{
    const nests_model *m = &((const nests_trained *)session->trained.net)->model;
    const nests_set *train = &((const nests_files *)session->data)->train;
    nests_batch *b = session->batch;
    *what = b->first->name;
    if (!m->members) score_by_trees(b, m);
    return nests_loss_of_members(m, tape, b, train->data.maker->absolute,
                                 (const nests_settings *)session->settings);
}

static const char *name_of(const void *net)
{
    (void)net;
    return "nests";
}

const harness_model nests_hooks = {.program = &nests_program_table,
                                   .network = &nests_network,
                                   .data_bytes = sizeof(nests_files),
                                   .feed_bytes = sizeof(nests_sampler),
                                   .batch_bytes = sizeof(nests_batch),
                                   .files = nests_files_kind,
                                   .read = read_all,
                                   .read_scored = nests_files_score,
                                   .name = name_of,
                                   .form = nests_results_form,
                                   .close = nests_files_close,
                                   .begin = begin,
                                   .fill = nests_sampler_fill,
                                   .free_batch = nests_batch_free,
                                   .end = nests_sampler_close,
                                   .record = record,
                                   .fewer = "--groups or --items",
                                   .results_bytes = sizeof(nests_results),
                                   .open = nests_results_open,
                                   .add = nests_results_add,
                                   .compare = nests_results_compare,
                                   .repeat = nests_results_repeat,
                                   .compute = harness_rank_compute,
                                   .held_out = "Held-out groups, best checkpoint"};
