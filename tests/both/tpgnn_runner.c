/* SPDX-License-Identifier: MIT */
/* A step of TPGNN, in the build's precision. */
#include "support/tpgnn_runner.h"
#include "core/error.h"
#include "net.h"

#include <math.h>
#include <stdlib.h>

typedef struct net {
    const tpgnn_trial *trial;
    tpgnn_model model;
    tpgnn_batch batch;
    ag_real *label;
    double mean, deviation;
} net;

static ag_status fill(net *n, ag_failure *why)
{
    const tpgnn_data *data = n->trial->data;
    const tpgnn_batch_options options = tpgnn_model_batch(&n->model);
    const tpgnn_schedule **list = malloc((size_t)data->schedules * sizeof *list);
    for (int i = 0; i < data->schedules; i++) list[i] = &data->schedule[i];
    tpgnn_batch_fill(&n->batch, data, list, data->schedules, &options, why);
    free((void *)list);
    return why->status;
}

/* Vectors of words are numbers that differ. */
static ag_status make(net *n, const tpgnn_trial *t, ag_failure *why)
{
    *n = (net){.trial = t};
    if (tpgnn_model_add(&n->model, ag_params_new(), &t->options, why) ||
        ag_params_build(n->model.params, t->seed))
        return why->status;
    for (int k = 0; k < n->model.joined.scale.columns; k++) n->model.joined.scale.deviation[k] = 1;
    if (fill(n, why)) return why->status;
    for (int i = 0; n->model.vector && i < t->options.words[TPGNN_CLASS] * TPGNN_VECTOR; i++)
        n->model.vector[i] = (ag_real)sin(1.7 * i + 0.3);
    n->label = malloc((size_t)n->batch.graphs * sizeof *n->label);
    tpgnn_label_scale(&n->mean, &n->deviation, t->data, t->label);
    tpgnn_labels(n->label, t->data, &n->batch, t->label, n->mean, n->deviation);
    return AG_OK;
}

static void drop(net *n)
{
    tpgnn_batch_free(&n->batch);
    ag_params_free(n->model.params);
    tpgnn_model_free(&n->model);
    free(n->label);
}

static ag_tensor *build(ag_tape *tape, void *context)
{
    net *n = context;
    ag_tape_training(tape, 0);
    return tpgnn_loss(tpgnn_forward(&n->model, tape, &n->batch), &n->batch, n->label,
                      &n->trial->settings);
}

double ag__tpgnn(double *cost, double *worst, const tpgnn_trial *t, char text[TPGNN_WHY])
{
    const ag_gradcheck_options options = {.full = 24, .directions = 2, .entries = 6, .seed = 5};
    net n;
    ag_failure why = {0};
    double loss = (double)NAN;
    char where[200] = "";
    ag_tape *tape = ag_tape_new(AG_CPU);
    if (!make(&n, t, &why)) {
        ag_tape_training(tape, 0);
        ag_tensor *y = ag_keep(tpgnn_forward(&n.model, tape, &n.batch));
        ag_tensor *sum = tpgnn_loss(y, &n.batch, n.label, &t->settings);
        ag_forward(sum);
        loss = (double)ag_item(sum);
        net_read_tensor(cost, y);
        if (ag_failed(tape)) ag_fail(&why, ag_tape_status(tape), "%s", ag_error(tape));
        if (worst) *worst = ag_gradcheck(build, &n, n.model.params, &options, where);
    }
    snprintf(text, TPGNN_WHY, "%.260s%.200s", why.sentence, where);
    ag_tape_free(tape);
    drop(&n);
    return loss;
}
