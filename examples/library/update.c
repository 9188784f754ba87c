/* SPDX-License-Identifier: MIT */
/* Training on the caller's measurements: steps of the harness's trainer on a second network, which
   takes the place of the first one when all is well. */
#define _GNU_SOURCE /* locks */
#include "examples/library/handle.h"
#include "core/error.h"

enum { MOST_STEPS = 100000 };

typedef struct update {
    augur_models *m;
    augur_models_training how;
    library_items items;
    ag_failure *why;
    harness_options *options;
    harness_session session;
    double loss[2];
} update;

augur_models_training augur_models_training_default(void)
{
    return (augur_models_training){.steps = 10, .learning_rate = 1e-4};
}

/* Scoring refuses what does not fit the model, and items without run times. */
static ag_status check_items(const update *u, ag_failure *why)
{
    const harness_model *m = u->m->trained.model;
    const harness_runs runs = {.model = m, .run = &u->m->trained, .count = 1};
    void *data = harness_alloc(m->data_bytes);
    m->read_scored(data, &runs, u->session.settings, true, why);
    m->close(data);
    harness_free(data);
    return why->status;
}

/* All items are trained on, whatever the run held out. */
static ag_status set_options(update *u, ag_failure *why)
{
    u->options = library_options(&u->m->trained, HARNESS_TRAIN, why);
    if (why->status || library_items_open(&u->items, u->options, why)) return why->status;
    if (harness_option_find(u->m->trained.model->program, "split"))
        harness_options_set(u->options, "items", "split", "0", why);
    return why->status;
}

static ag_status prepare(update *u, ag_failure *why)
{
    harness_session *s = &u->session;
    const harness_model *m = s->model;
    s->options = u->options;
    s->settings = harness_options_values(u->options);
    s->initial = true;
    if (check_items(u, why)) return why->status;
    s->tape = ag_tape_new(AG_CPU);
    if (!s->tape) return ag_fail(why, AG_EMEMORY, "augur_models_update: no memory for a tape");
    s->data = harness_alloc(m->data_bytes);
    if (m->read(s, why) || harness_trained_copy(&s->trained, &u->m->trained, why) ||
        (m->network->fit && m->network->fit(s, why)))
        return why->status;
    s->how = s->settings->training;
    s->adamw = ag_adamw_default();
    s->adamw.decay = 0;
    s->schedule = (ag_schedule){.lr = u->how.learning_rate, .total = u->how.steps};
    return harness_session_batches(s, why);
}

static ag_status train(void *context, ag_failure *why)
{
    update *u = context;
    augur_models *m = u->m;
    u->session.model = m->trained.model;
    if (!ag_params_count(m->trained.params))
        return ag_fail(why, AG_EUSE,
                       "augur_models_update: the model has only trees, which take no steps; open "
                       "one with a network");
    if (set_options(u, why) || prepare(u, why)) return why->status;
    harness_state *p = u->session.trained.state;
    for (int i = 0; i < u->how.steps; i++) {
        p->loss_sum = 0;
        p->loss_count = 0;
        if (harness_session_step(&u->session, why)) return why->status;
        u->loss[i > 0] = p->loss_sum;
    }
    if (u->how.steps == 1) u->loss[1] = u->loss[0];
    pthread_rwlock_wrlock(&m->parameters);
    const harness_trained before = m->trained;
    m->trained = u->session.trained;
    u->session.trained = before;
    pthread_rwlock_unlock(&m->parameters);
    return AG_OK;
}

static void end(void *context)
{
    update *u = context;
    harness_session_close(&u->session, u->why);
    harness_options_free(u->options);
    library_items_close(&u->items);
    library_items_rename(&u->items, u->why);
    pthread_mutex_unlock(&u->m->update);
}

static ag_status check(const augur_models *m, const augur_models_items *items,
                       const augur_models_training *how, ag_failure *why)
{
    if (!m)
        return ag_fail(why, AG_EUSE, "augur_models_update: the handle is NULL; open a model first");
    if (how->steps < 1 || how->steps > MOST_STEPS ||
        !(how->learning_rate > 0 && how->learning_rate <= 1))
        return ag_fail(why, AG_EUSE,
                       "augur_models_update: %d steps with learning rate %g; take 1 to %d steps, "
                       "and a rate above 0 and up to 1",
                       how->steps, how->learning_rate, MOST_STEPS);
    return library_items_check(items, "augur_models_update", why);
}

int augur_models_update(augur_models *m, const augur_models_items *items,
                        const augur_models_training *training, double loss[2])
{
    ag_failure why = {0};
    update u = {.m = m, .items = {.given = items}, .why = &why};
    u.how = training ? *training : augur_models_training_default();
    if (!check(m, items, &u.how, &why)) pthread_mutex_lock(&m->update);
    const int code = library_call(train, end, &u, &why);
    for (int i = 0; loss && i < 2; i++) loss[i] = code ? 0 : u.loss[i];
    return code;
}
