/* SPDX-License-Identifier: MIT */
/* The library for tuners: training on the tuner's measurements. */
#define _GNU_SOURCE
#include "examples/tpgnn/tvm/library/handle.h"
#include "examples/tpgnn/model/loss.h"
#include "ops/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100000, MOST_BATCH = 4096 };

typedef struct update {
    augur_tpgnn *m;
    const augur_tpgnn_training *how;
    ag_tape *tape;
    tpgnn_batch batch;
    int32_t *order;               /* [seen] scratch */
    const tpgnn_schedule **drawn; /* [seen] */
} update;

augur_tpgnn_training augur_tpgnn_training_default(void)
{
    return (augur_tpgnn_training){.steps = 10, .batch = 64, .learning_rate = 1e-4};
}

/* ---- remembered graphs ---- */

/* Their task is the caller's number. Returns the number of graphs left out, or -1 with the failure
   in `why`. */
static int64_t remember(augur_tpgnn *m, const tpgnn_arrays *arrays, const int32_t *task,
                        ag_failure *bad, ag_failure *why)
{
    const int before = m->seen.schedules;
    if (tpgnn_data_arrays(&m->seen, arrays, bad, why) == AG_EDATA) {
        *bad = *why; /* none of them could be read */
        *why = (ag_failure){0};
    }
    for (int i = before; i < m->seen.schedules; i++) {
        tpgnn_schedule *s = &m->seen.schedule[i];
        s->task = task ? task[s->number] : 0;
    }
    return why->status ? -1 : arrays->schedules - (m->seen.schedules - before);
}

/* 1 where two graphs of one task have different run times. */
static int has_pair(const tpgnn_data *seen)
{
    const tpgnn_schedule *s = seen->schedule;
    for (int i = 1; i < seen->schedules; i++)
        for (int k = 0; k < i; k++)
            if (s[i].task == s[k].task && s[i].runtime != s[k].runtime) return 1;
    return 0;
}

/* ---- batches ---- */

/* Then in the order in which they were remembered. */
static int by_task(const void *a, const void *b)
{
    const tpgnn_schedule *x = *(const tpgnn_schedule *const *)a;
    const tpgnn_schedule *y = *(const tpgnn_schedule *const *)b;
    if (x->task != y->task) return x->task < y->task ? -1 : 1;
    return x < y ? -1 : 1;
}

/* Draws graphs and sorts them by task. Neither a batch nor a loss depends on the order in which a
   set of graphs was drawn. */
static ag_status fill(update *u, int most, ag_random random, ag_failure *why)
{
    const tpgnn_data *seen = &u->m->seen;
    const tpgnn_batch_options options = tpgnn_model_batch(&u->m->stored.model);
    const int n = seen->schedules < most ? seen->schedules : most;
    for (int i = 0; i < seen->schedules; i++) u->order[i] = i;
    if (n < seen->schedules) ag_random_shuffle(&random, u->order, seen->schedules);
    for (int i = 0; i < n; i++) u->drawn[i] = &seen->schedule[u->order[i]];
    qsort((void *)u->drawn, (size_t)n, sizeof *u->drawn, by_task);
    return tpgnn_batch_fill(&u->batch, seen, u->drawn, n, &options, why);
}

static ag_tensor *record_loss(update *u, int training)
{
    const tpgnn_model *model = &u->m->stored.model;
    const tpgnn_loss_options o = {.kind = TPGNN_LOSS_PAIRS};
    ag_tape_reset(u->tape);
    ag_tape_seed(u->tape, 0, (uint64_t)u->m->step);
    ag_tape_training(u->tape, training);
    return tpgnn_loss(tpgnn_forward(model, u->tape, &u->batch), &u->batch, NULL, &o);
}

static ag_status loss_of_all(update *u, double *loss, ag_failure *why)
{
    if (fill(u, MOST_BATCH, (ag_random){.seed = 1}, why)) return why->status;
    ag_tensor *y = record_loss(u, 0);
    ag_forward(y);
    *loss = (double)ag_item(y);
    if (ag_failed(u->tape))
        ag_fail(why, ag_tape_status(u->tape), "%s", ag_error(u->tape));
    else if (!isfinite(*loss))
        ag_fail(why, AG_EFINITE,
                "augur_tpgnn_update: the loss of all that is remembered is %g; take a smaller "
                "learning rate",
                *loss);
    return why->status;
}

/* ---- steps ---- */

static ag_status do_step(update *u, ag_failure *why)
{
    augur_tpgnn *m = u->m;
    ag_adamw adam = ag_adamw_default();
    adam.decay = 0;
    const ag_random random = {.seed = 0, .stream = (uint64_t)m->step};
    if (fill(u, u->how->batch, random, why)) return why->status;
    ag_backward(record_loss(u, 1));
    if (ag_failed(u->tape)) return ag_fail(why, ag_tape_status(u->tape), "%s", ag_error(u->tape));
    if (ag_clip_norm(m->stored.model.params, 1, NULL, why) ||
        ag_adamw_step(m->stored.model.params, &adam, u->how->learning_rate, why))
        return why->status;
    m->step++;
    return AG_OK;
}

static ag_status do_steps(update *u, double loss[2], ag_failure *why)
{
    ag_params *p = u->m->stored.model.params;
    const size_t n = (size_t)p->size, bytes = n * sizeof(ag_real);
    const int64_t step = u->m->step, optimizer = p->step;
    ag_real *before = ag_alloc(3 * bytes);
    if (!before)
        return ag_fail(why, AG_EMEMORY, "augur_tpgnn_update: no memory for %zu bytes; free some",
                       3 * bytes);
    ag_real *const part[] = {p->value, p->m, p->v};
    for (int i = 0; i < 3; i++) memcpy(before + (size_t)i * n, part[i], bytes);
    loss_of_all(u, &loss[0], why);
    for (int i = 0; i < u->how->steps && !why->status; i++) do_step(u, why);
    if (!why->status && u->how->steps) loss_of_all(u, &loss[1], why);
    if (!u->how->steps) loss[1] = loss[0];
    if (why->status) {
        for (int i = 0; i < 3; i++) memcpy(part[i], before + (size_t)i * n, bytes);
        p->step = optimizer;
        u->m->step = step;
        ag_params_reset(p);
    }
    ag_free(before);
    return why->status;
}

static ag_status train(augur_tpgnn *m, const augur_tpgnn_training *how, double loss[2],
                       ag_failure *why)
{
    const size_t n = (size_t)m->seen.schedules;
    update u = {.m = m, .how = how, .tape = tpgnn_tapes_take(m->tapes)};
    if (!u.tape)
        return ag_fail(why, AG_EMEMORY, "augur_tpgnn_update: no memory for a tape; free some");
    static const char name[] = "augur_tpgnn_update";
    u.order = tpgnn_library_take(n, sizeof *u.order, name, why);
    u.drawn = tpgnn_library_take(n, sizeof *u.drawn, name, why);
    if (!why->status) do_steps(&u, loss, why);
    ag_tape_reset(u.tape);
    ag_tape_training(u.tape, 1);
    tpgnn_tapes_give(m->tapes, u.tape);
    tpgnn_batch_free(&u.batch);
    ag_free(u.order);
    ag_free((void *)u.drawn);
    return why->status;
}

/* ---- the call ---- */

static ag_status check(const augur_tpgnn *m, const int64_t *runtime,
                       const augur_tpgnn_training *how, ag_failure *why)
{
    if (!m || !runtime)
        return ag_fail(why, AG_EUSE, "augur_tpgnn_update: %s is NULL, but both are needed",
                       m ? "the array of run times" : "the handle");
    if (how->steps < 0 || how->steps > MOST_STEPS || how->batch < 2 || how->batch > MOST_BATCH ||
        !(how->learning_rate > 0 && how->learning_rate <= 1))
        return ag_fail(why, AG_EUSE,
                       "augur_tpgnn_update: %d steps of %d graphs with learning rate %g; take 0 to "
                       "%d steps of 2 to %d graphs, and a rate above 0 and up to 1",
                       how->steps, how->batch, how->learning_rate, MOST_STEPS, MOST_BATCH);
    return AG_OK;
}

int64_t augur_tpgnn_update(augur_tpgnn *m, const augur_tpgnn_graphs *graphs, const int64_t *runtime,
                           const int32_t *task, const augur_tpgnn_training *training,
                           double loss[2])
{
    ag_failure why = {0}, bad = {0};
    tpgnn_arrays arrays = {0};
    double unwanted[2], *losses = loss ? loss : unwanted;
    const augur_tpgnn_training usual = augur_tpgnn_training_default();
    const augur_tpgnn_training *how = training ? training : &usual;
    losses[0] = losses[1] = 0;
    if (check(m, runtime, how, &why) ||
        tpgnn_library_arrays(&arrays, graphs, "augur_tpgnn_update", &why))
        return tpgnn_library_failed(&why);
    arrays.runtime = runtime;
    fenv_t caller;
    tpgnn_library_enter(&caller);
    pthread_rwlock_wrlock(&m->parameters);
    const int64_t left = arrays.schedules ? remember(m, &arrays, task, &bad, &why) : 0;
    if (!why.status && has_pair(&m->seen)) train(m, how, losses, &why);
    pthread_rwlock_unlock(&m->parameters);
    fesetenv(&caller);
    if (bad.status) tpgnn_library_failed(&bad);
    return why.status ? tpgnn_library_failed(&why) : left;
}
