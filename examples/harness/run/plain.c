/* SPDX-License-Identifier: MIT */
#include "examples/harness/run/plain.h"

#include "examples/harness/run/checkpoint.h"

#include <math.h>

static void fill(harness_trained *t)
{
    harness_plain *p = t->net;
    t->params = p->params;
    t->state = &p->state;
    t->configuration = p->configuration;
    t->data = p->data;
}

static ag_status build(harness_plain *p, const void *settings, uint64_t seed,
                       harness_plain_add *add, ag_failure *why)
{
    p->params = ag_params_new();
    if (!p->params) return ag_fail(why, AG_EMEMORY, "There is no memory for the model");
    if (add(p, settings, p->data, why) || !ag_params_build(p->params, seed)) return why->status;
    return ag_fail(why, p->params->failure.status, "%s", p->params->failure.sentence);
}

ag_status harness_plain_create(harness_session *s, char *data, harness_plain_add *add,
                               ag_failure *why)
{
    harness_plain *p = s->trained.net;
    p->program = s->model->program;
    p->state.best = (double)NAN;
    p->configuration = harness_json_text(harness_options_json(s->options));
    p->data = data;
    build(p, s->settings, (uint64_t)s->settings->common.seed, add, why);
    fill(&s->trained);
    return why->status;
}

/* ---- checkpoints ---- */

ag_status harness_plain_save(const char *path, const harness_trained *t, int resume,
                             ag_failure *why)
{
    const harness_plain *p = t->net;
    char *program = harness_text("%s %s", p->program->name, p->program->version);
    const ag_checkpoint_pair pair[] = {
        {"program", program}, {"configuration", p->configuration}, {"data", p->data}};
    harness_checkpoint_save(path, p->params, &p->state, NULL, 0, pair, 3, resume, why);
    harness_free(program);
    return why->status;
}

ag_status harness_plain_resume(const char *path, harness_trained *t, ag_failure *why)
{
    harness_plain *p = t->net;
    const ag_checkpoint_pair same[] = {{"configuration", p->configuration}, {"data", p->data}};
    ag_checkpoint *file = harness_checkpoint_resume(path, p->params, same, 2, why);
    if (file) harness_checkpoint_state(&p->state, p->params, path, file, 1, why);
    harness_checkpoint_close(file, why);
    return why->status;
}

/* Builds the network that the metadata describe; what is wrong with them is wrong with the file. */
static ag_status rebuild(harness_plain *p, const char *path, harness_plain_add *add,
                         ag_failure *why)
{
    void *values = harness_alloc(p->program->options_bytes);
    harness_options *o =
        harness_checkpoint_options(p->program, values, path, p->configuration, why);
    ag_failure mine = {0};
    if (!why->status && build(p, values, 0, add, &mine))
        ag_fail(why, mine.status == AG_EMEMORY ? AG_EMEMORY : AG_EDATA, "%.200s: %s", path,
                mine.sentence);
    harness_options_free(o);
    harness_free(values);
    return why->status;
}

ag_status harness_plain_load(harness_trained *t, const harness_program *program, const char *path,
                             harness_plain_add *add, ag_failure *why)
{
    harness_plain *p = t->net;
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    if (!file) return why->status;
    p->program = program;
    p->configuration = harness_checkpoint_text(file, "configuration");
    p->data = harness_checkpoint_text(file, "data");
    if (!rebuild(p, path, add, why) && !ag_params_load(p->params, file, 0, why))
        harness_checkpoint_state(&p->state, p->params, path, file, 0, why);
    fill(t);
    harness_checkpoint_close(file, why);
    return why->status;
}

void harness_plain_drop(void *net)
{
    harness_plain *p = net;
    ag_params_free(p->params);
    harness_free(p->configuration);
    harness_free(p->data);
}
