/* SPDX-License-Identifier: MIT */
/* Makes networks, saves them as checkpoints, and loads, copies or resumes them. */
#include "examples/harness/model/trained.h"
#include "core/error.h"
#include "core/shape.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- the parts of a checkpoint (docs/formats.md) ---- */

enum { NUMBERS = 7, FOR_RESUME = 2, FOR_AGAIN = 2 };

/* The state of a run as scalars; the last four belong only to --resume, and the last two of them
   to a run with a schedule that started again. Returns their number. */
static int state_items(ag_checkpoint_item item[NUMBERS], harness_state *p, int resume, int again)
{
    const ag_checkpoint_item all[NUMBERS] = {
        {"state.step", AG_I64, AG_SCALAR, &p->step},
        {"state.best.score", AG_F64, AG_SCALAR, &p->best},
        {"state.best.step", AG_I64, AG_SCALAR, &p->best_step},
        {"state.loss.sum", AG_F64, AG_SCALAR, &p->loss_sum},
        {"state.loss.count", AG_I64, AG_SCALAR, &p->loss_count},
        {"state.schedule.begun", AG_I64, AG_SCALAR, &p->begun},
        {"state.schedule.rate", AG_F64, AG_SCALAR, &p->begun_rate},
    };
    memcpy(item, all, sizeof all);
    return NUMBERS - (resume && again ? 0 : FOR_AGAIN) - (resume ? 0 : FOR_RESUME);
}

static ag_status read_items(const ag_checkpoint *file, const ag_checkpoint_item *item, int count,
                            ag_failure *why)
{
    for (int i = 0; i < count && !why->status; i++)
        ag_checkpoint_read(file, item[i].name, item[i].dtype, item[i].shape,
                           (void *)(uintptr_t)item[i].data, why);
    return why->status;
}

/* resume 1: all of the state, and the step must be the optimizer's. */
static ag_status read_run(harness_state *state, const ag_params *params, const char *path,
                          const ag_checkpoint *file, int resume, ag_failure *why)
{
    ag_checkpoint_item item[NUMBERS];
    const int again = ag_checkpoint_find(file, "state.schedule.begun") != NULL;
    if (read_items(file, item, state_items(item, state, resume, again), why)) return why->status;
    if (resume && (state->step != params->step || state->step < 0))
        return ag_fail(why, AG_EDATA,
                       "%.200s: state.step is %lld, but the optimizer has done %lld steps; start "
                       "a new run",
                       path, (long long)state->step, (long long)params->step);
    if (resume && again &&
        !(state->begun > 0 && state->begun <= state->step && state->begun_rate >= 0 &&
          state->begun_rate <= 10))
        return ag_fail(
            why, AG_EDATA,
            "%.200s: the schedule started again in step %lld of %lld with the learning rate "
            "%g, which cannot be; start a new run",
            path, (long long)state->begun, (long long)state->step, state->begun_rate);
    return AG_OK;
}

/* A text of the metadata, "" without one. */
static char *text_of(const ag_checkpoint *file, const char *key)
{
    const char *text = ag_checkpoint_metadata(file, key);
    return harness_copy(text ? text : "");
}

/* The options of the run. */
static harness_options *options_of(const harness_program *program, const char *path,
                                   const char *configuration, ag_failure *why)
{
    harness_options *o = harness_options_new(program, HARNESS_TRAIN, NULL);
    json_t *j = harness_json_loads(configuration, NULL);
    const char *where = harness_format("%.120s: the metadata \"configuration\"", path);
    if (j)
        harness_options_from_json(o, j, where, 1, why);
    else
        ag_fail(why, AG_EDATA, "%s say nothing of the model, or no JSON; is it a checkpoint of %s?",
                where, program->name);
    json_decref(j);
    return o;
}

/* Compares the shapes of parameters, which need not be built, with those in the file. */
static ag_status check_shapes(const ag_checkpoint *file, const ag_params *params, ag_failure *why)
{
    char have[64], want[64];
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        const ag_checkpoint_item *item = ag_checkpoint_find(file, p->name);
        if (item && ag_shape_equal(item->shape, p->shape)) continue;
        return ag_fail(why, AG_EDATA,
                       "%s is %s, but the metadata ask for %s; the file contradicts itself, so "
                       "choose another checkpoint",
                       p->name, item ? ag_shape_text(have, item->shape) : "missing",
                       ag_shape_text(want, p->shape));
    }
    return AG_OK;
}

/* Tensors whose shapes contradict the file's own metadata are bad data. */
static void close_file(ag_checkpoint *file, ag_failure *why)
{
    ag_checkpoint_close(file);
    if (why->status != AG_ESHAPE) return;
    const ag_failure shape = *why;
    *why = (ag_failure){0};
    ag_fail(why, AG_EDATA, "%.400s; the file contradicts itself, so choose another checkpoint",
            shape.sentence);
}

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
        (file && check_shapes(file, t->params, why)) || !ag_params_build(t->params, seed))
        return why->status;
    return ag_fail(why, t->params->failure.status, "%s", t->params->failure.sentence);
}

/* ---- the checkpoint of a run that goes on ---- */

/* The options of the checkpoint differ from those of this call at most where --resume accepts that.
   before: how they train. */
static ag_status check_options(const char *path, const char *text, const harness_session *s,
                               harness_training *before, ag_failure *why)
{
    const harness_model *m = s->model;
    harness_options *o = options_of(m->program, path, text, why);
    harness_session old = *s;
    old.settings = harness_options_values(o);
    old.how = old.settings->training;
    if (!why->status && harness_options_differ(o, s->options, true))
        ag_fail(why, AG_EUSE,
                "--resume: the metadata \"configuration\" of %.160s are not those of this call: "
                "start a new run in another folder, or this one with --force",
                path);
    if (!why->status && m->plan) m->plan(&old);
    *before = old.how;
    harness_options_free(o);
    return why->status;
}

/* The texts must be those that this call would write. Other options may give other texts, so they
   are compared first. */
static ag_status check_same(const char *path, const ag_checkpoint *file, const harness_session *s,
                            harness_training *before, ag_failure *why)
{
    const harness_trained *t = &s->trained;
    const char *const *key = t->model->network->key;
    const int options = options_at(t);
    char *text = text_of(file, key[options]);
    if (strcmp(text, t->text[options]) != 0) check_options(path, text, s, before, why);
    harness_free(text);
    for (int k = 0; k < HARNESS_TEXTS && !why->status; k++) {
        const char *stored = key[k] && k != options ? ag_checkpoint_metadata(file, key[k]) : NULL;
        if (key[k] && k != options && (!stored || strcmp(stored, t->text[k]) != 0))
            ag_fail(why, AG_EUSE,
                    "--resume: the metadata \"%s\" of %.160s are not those of this call: the data "
                    "have changed since; put the old files back, or start a new run",
                    key[k], path);
    }
    return why->status;
}

/* Refuses another run's checkpoint before the network is fitted to the data, which takes long. */
static ag_status check_last(const harness_session *s, ag_failure *why)
{
    harness_training before;
    const char *path = harness_format("%s/" HARNESS_LAST, s->folder);
    ag_checkpoint *file = access(path, F_OK) == 0 ? ag_checkpoint_open(path, why) : NULL;
    if (file) check_same(path, file, s, &before, why);
    close_file(file, why);
    return why->status;
}

/* ---- making one ---- */

static void inherit(harness_trained *t, const harness_trained *from)
{
    const harness_network *n = t->model->network;
    for (int k = 0; k < HARNESS_TEXTS && from->model && n->inherited; k++) {
        if (!n->key[k] || strcmp(n->key[k], n->inherited) != 0) continue;
        harness_free(t->text[k]);
        t->text[k] = harness_copy(from->text[k]);
    }
}

ag_status harness_trained_create(harness_session *s, ag_failure *why)
{
    const harness_network *n = s->model->network;
    harness_trained *t = &s->trained, from = {0};
    start(t, s->model);
    t->state->best = (double)NAN;
    t->text[options_at(t)] = harness_json_text(harness_options_json(s->options));
    n->identify(s);
    if (!harness__initial_load(&from, s, why)) {
        inherit(t, &from);
        if (!build(t, s->settings, NULL, (uint64_t)s->settings->common.seed, why) &&
            !(s->resumes && check_last(s, why)) &&
            !(from.model && harness__initial_take(s, &from, why)) && n->fit)
            n->fit(s, why);
    }
    harness_trained_drop(&from);
    return why->status;
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
    ag_checkpoint_item item[HARNESS_TENSORS + NUMBERS];
    int items = n->tensors ? n->tensors(item, t->net) : 0;
    items += state_items(item + items, t->state, resume, t->state->begun > 0);
    char *program = harness_text("%s %s", of->name, of->version);
    ag_checkpoint_pair pair[1 + HARNESS_TEXTS] = {{"program", program}};
    int pairs = 1;
    for (int k = 0; k < HARNESS_TEXTS && n->key[k]; k++)
        pair[pairs++] = (ag_checkpoint_pair){n->key[k], t->text[k]};
    ag_params_save(path, t->params, resume, item, items, pair, pairs, why);
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
    if (n->tensors && read_items(file, item, n->tensors(item, t->net), why)) return why->status;
    if (n->check && n->check(t->net, &mine)) return blame(path, &mine, why);
    return read_run(t->state, t->params, path, file, resume, why);
}

static ag_status rebuild(harness_trained *t, const char *path, const ag_checkpoint *file,
                         ag_failure *why)
{
    const harness_program *program = t->model->program;
    ag_failure mine = {0};
    const char *const *key = t->model->network->key;
    for (int k = 0; k < HARNESS_TEXTS && key[k]; k++) t->text[k] = text_of(file, key[k]);
    harness_options *o = options_of(program, path, t->text[options_at(t)], why);
    if (!why->status && build(t, harness_options_values(o), file, 0, &mine))
        blame(path, &mine, why);
    harness_options_free(o);
    return why->status;
}

ag_status harness_trained_copy(harness_trained *t, const harness_trained *from, ag_failure *why)
{
    const ag_params *p = from->params;
    start(t, from->model);
    for (int k = 0; k < HARNESS_TEXTS; k++)
        if (from->text[k]) t->text[k] = harness_copy(from->text[k]);
    harness_options *o = options_of(t->model->program, from->path, from->configuration, why);
    if (!why->status && !build(t, harness_options_values(o), NULL, 0, why) &&
        !harness__values_take(t, from, why)) {
        const size_t bytes = (size_t)p->size * sizeof *p->m;
        memcpy(t->params->m, p->m, bytes);
        memcpy(t->params->v, p->v, bytes);
        t->params->step = p->step;
        *t->state = *from->state;
        t->path = harness_copy(from->path);
    }
    harness_options_free(o);
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
    start(t, m);
    t->path = harness_copy(path);
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    if (!file) return why->status;
    if (!check_program(m->program, path, file, why) && !rebuild(t, path, file, why) &&
        !ag_params_load(t->params, file, 0, why))
        read_state(t, path, file, 0, why);
    close_file(file, why);
    return why->status;
}

ag_status harness_trained_resume(const char *path, harness_session *s, harness_training *before,
                                 ag_failure *why)
{
    harness_trained *t = &s->trained;
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    *before = s->how;
    if (file && !check_same(path, file, s, before, why) && !ag_params_load(t->params, file, 1, why))
        read_state(t, path, file, 1, why);
    close_file(file, why);
    return why->status;
}
