/* SPDX-License-Identifier: MIT */
#include "examples/harness/run/trained.h"

#include "examples/harness/run/checkpoint.h"

#include <math.h>
#include <string.h>

/* ---- a network ---- */

static void start(harness_trained *t, const harness_model *m)
{
    *t = (harness_trained){.model = m,
                           .net = harness_alloc(m->network->bytes),
                           .params = ag_params_new(),
                           .state = harness_alloc(sizeof *t->state)};
    if (!t->params) harness_no_memory(1);
}

/* The place of the options among the texts. */
static int options_at(const harness_trained *t)
{
    int k = 0;
    while (strcmp(t->model->network->key[k], "configuration") != 0) k++;
    return k;
}

/* Makes the network of the texts. file: where it is loaded from, or NULL. Memory is taken when the
   shapes are those of the file, since a damaged text may ask for any. */
static ag_status build(harness_trained *t, const void *settings, const ag_checkpoint *file,
                       uint64_t seed, ag_failure *why)
{
    const int k = options_at(t);
    t->configuration = t->text[k];
    t->data = t->text[k + 1];
    if (t->model->network->build(t, settings, why) ||
        (file && harness_checkpoint_shapes(file, t->params, why)) ||
        !ag_params_build(t->params, seed))
        return why->status;
    return ag_fail(why, t->params->failure.status, "%s", t->params->failure.sentence);
}

ag_status harness_trained_create(harness_session *s, ag_failure *why)
{
    const harness_network *n = s->model->network;
    harness_trained *t = &s->trained;
    start(t, s->model);
    t->state->best = (double)NAN;
    t->text[options_at(t)] = harness_json_text(harness_options_json(s->options));
    if (n->identify(s, why) || build(t, s->settings, NULL, (uint64_t)s->settings->common.seed, why))
        return why->status;
    return n->fit ? n->fit(s, why) : AG_OK;
}

void harness_trained_drop(harness_trained *t)
{
    if (!t->model) return;
    if (t->model->network->drop) t->model->network->drop(t->net);
    ag_params_free(t->params);
    for (int k = 0; k < HARNESS_TEXTS; k++) harness_free(t->text[k]);
    harness_free(t->net);
    harness_free(t->state);
    harness_free(t->path);
    *t = (harness_trained){0};
}

/* ---- its checkpoint ---- */

ag_status harness_trained_save(const char *path, const harness_trained *t, int resume,
                               ag_failure *why)
{
    const harness_program *of = t->model->program;
    const harness_network *n = t->model->network;
    ag_checkpoint_item item[HARNESS_TENSORS];
    const int items = n->tensors ? n->tensors(item, t->net) : 0;
    char *program = harness_text("%s %s", of->name, of->version);
    ag_checkpoint_pair pair[1 + HARNESS_TEXTS] = {{"program", program}};
    int pairs = 1;
    for (int k = 0; k < HARNESS_TEXTS && n->key[k]; k++)
        pair[pairs++] = (ag_checkpoint_pair){n->key[k], t->text[k]};
    harness_checkpoint_save(path, t->params, t->state, item, items, pair, pairs, resume, why);
    harness_free(program);
    return why->status;
}

/* A mistake in the contents is one of the file. */
static ag_status blame(const char *path, const ag_failure *mine, ag_failure *why)
{
    return ag_fail(why, mine->status == AG_EMEMORY ? AG_EMEMORY : AG_EDATA, "%.200s: %s", path,
                   mine->sentence);
}

/* Reads the network's own tensors and the state of the run. */
static ag_status read_state(harness_trained *t, const char *path, const ag_checkpoint *file,
                            int resume, ag_failure *why)
{
    const harness_network *n = t->model->network;
    ag_checkpoint_item item[HARNESS_TENSORS];
    ag_failure mine = {0};
    const int items = n->tensors ? n->tensors(item, t->net) : 0;
    for (int i = 0; i < items; i++)
        if (ag_checkpoint_read(file, item[i].name, item[i].dtype, item[i].shape,
                               (void *)(uintptr_t)item[i].data, why))
            return why->status;
    if (n->check && n->check(t->net, &mine)) return blame(path, &mine, why);
    return harness_checkpoint_state(t->state, t->params, path, file, resume, why);
}

static ag_status rebuild(harness_trained *t, const char *path, const ag_checkpoint *file,
                         ag_failure *why)
{
    const harness_program *program = t->model->program;
    void *values = harness_alloc(program->options_bytes);
    ag_failure mine = {0};
    const char *const *key = t->model->network->key;
    for (int k = 0; k < HARNESS_TEXTS && key[k]; k++)
        t->text[k] = harness_checkpoint_text(file, key[k]);
    harness_options *o =
        harness_checkpoint_options(program, values, path, t->text[options_at(t)], why);
    if (!why->status && build(t, values, file, 0, &mine)) blame(path, &mine, why);
    harness_options_free(o);
    harness_free(values);
    return why->status;
}

static ag_status check_program(const harness_program *program, const char *path,
                               const ag_checkpoint *file, ag_failure *why)
{
    const char *made = ag_checkpoint_metadata(file, "program");
    const size_t length = strlen(program->name);
    if (!made || (strncmp(made, program->name, length) == 0 && made[length] == ' ')) return AG_OK;
    return ag_fail(why, AG_EDATA, "%.200s is a checkpoint of %.60s; choose one of %s", path, made,
                   program->name);
}

ag_status harness_trained_load(harness_trained *t, const harness_model *m, const char *path,
                               ag_failure *why)
{
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    if (!file) return why->status;
    start(t, m);
    t->path = harness_copy(path);
    if (!check_program(m->program, path, file, why) && !rebuild(t, path, file, why) &&
        !ag_params_load(t->params, file, 0, why))
        read_state(t, path, file, 0, why);
    harness_checkpoint_close(file, why);
    return why->status;
}

/* The texts must be those that this call would write. Other options may give other texts, so they
   are compared first. */
static ag_status check_same(const char *path, const ag_checkpoint *file, const harness_trained *t,
                            ag_failure *why)
{
    static const char *const anew = "start a new run in another folder, or this one with --force",
                             *const changed = "the data have changed since; put the old files "
                                              "back, or start a new run";
    const int options = options_at(t);
    for (int i = -1; i < HARNESS_TEXTS; i++) {
        const int k = i < 0 ? options : i;
        const char *key = t->model->network->key[k],
                   *stored = key ? ag_checkpoint_metadata(file, key) : "";
        if (key && (!stored || strcmp(stored, t->text[k]) != 0))
            return ag_fail(why, AG_EUSE,
                           "--resume: the metadata \"%s\" of %.160s are not those of this call: %s",
                           key, path, k == options ? anew : changed);
    }
    return AG_OK;
}

ag_status harness_trained_resume(const char *path, harness_trained *t, ag_failure *why)
{
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    if (file && !check_same(path, file, t, why) && !ag_params_load(t->params, file, 1, why))
        read_state(t, path, file, 1, why);
    harness_checkpoint_close(file, why);
    return why->status;
}
