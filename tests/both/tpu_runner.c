/* SPDX-License-Identifier: MIT */
/* The TPU model on a batch, in the build's precision. */
#include "support/tpu_runner.h"
#include "net.h"

#include "examples/tpu/steps.h"
#include "ops/ops.h"

#include <stdlib.h>
#include <string.h>

struct tpu_net {
    ag_params *params; /* net.h */
    tpu_model model;
    tpu_batch batch;
    ag_tape *tape;
    const tpu_samples *samples; /* of the gradient check */
};

/* ---- life ---- */

static void destroy(tpu_net *net)
{
    ag_tape_free(net->tape);
    tpu_batch_free(&net->batch);
    ag_params_free(net->model.params);
    tpu_model_free(&net->model);
    free(net);
}

static tpu_net *create(const tpu_options *options, double offset, uint64_t seed, char why[TPU_WHY])
{
    ag_failure failure = {0};
    tpu_net *net = calloc(1, sizeof *net);
    net->tape = ag_tape_new(AG_CPU);
    net->params = ag_params_new();
    const int ok = !tpu_model_add(&net->model, net->params, options, &failure) &&
                   !ag_params_build(net->params, seed);
    net->model.offset = offset;
    strcpy(why, failure.sentence);
    if (ok) return net;
    destroy(net);
    return NULL;
}

static void fit(tpu_net *net, const tpu_data *data)
{
    ag_failure why = {0};
    tpu_rows_fit(&net->model.rows.scale, data, &why);
}

/* ---- runs ---- */

static int begin(tpu_net *net, const tpu_samples *s, int training, char why[TPU_WHY])
{
    ag_failure failure = {0};
    ag_tape_reset(net->tape);
    ag_tape_training(net->tape, training);
    tpu_batch_fill(&net->batch, s->sample, s->count, s->scaler, &net->model.batch, &failure);
    strcpy(why, failure.sentence);
    return !*why;
}

static void scores(tpu_net *net, const tpu_samples *s, double *score, char why[TPU_WHY])
{
    if (!begin(net, s, 0, why)) return;
    ag_tensor *y = tpu_forward(&net->model, net->tape, &net->batch);
    ag_forward(y);
    strcpy(why, ag_error(net->tape));
    if (!*why) net_read_tensor(score, y);
}

static double loss(tpu_net *net, const tpu_samples *s, int kind, double margin, double *score,
                   char why[TPU_WHY])
{
    ag_params_reset(net->params);
    if (!begin(net, s, 1, why)) return (double)NAN;
    ag_tensor *y = tpu_forward(&net->model, net->tape, &net->batch);
    if (score) ag_keep(y);
    ag_tensor *sum = tpu_loss(y, &net->batch, kind, margin);
    ag_backward(sum);
    strcpy(why, ag_error(net->tape));
    if (!*why && score) net_read_tensor(score, y);
    return (double)ag_item(sum);
}

/* The logistic loss has no kink; the square makes the loss depend on more than differences. */
static ag_tensor *smooth(ag_tape *tape, void *context)
{
    tpu_net *net = context;
    ag_tape_training(tape, 0);
    ag_tensor *y = tpu_forward(&net->model, tape, &net->batch);
    ag_tensor *pairs = tpu_loss(y, &net->batch, TPU_LOSS_LOGISTIC, 1);
    return ag_scale(ag_add(pairs, ag_mean_all(ag_square(y))), 10);
}

static double gradcheck(tpu_net *net, const tpu_samples *s, double step, uint64_t seed,
                        char where[200])
{
    const ag_gradcheck_options options = {
        .step = step, .full = 8, .directions = 3, .entries = 8, .seed = seed};
    char why[TPU_WHY];
    if (!begin(net, s, 0, why)) {
        snprintf(where, 200, "%.199s", why);
        return (double)INFINITY;
    }
    ag_params_reset(net->params);
    return ag_gradcheck(smooth, net, net->params, &options, where);
}

const tpu_api ag__tpu = {
    .name = NET_PRECISION,
    .create = create,
    .destroy = destroy,
    .fit = fit,
    .params = net_params,
    .param = net_param,
    .set = net_set,
    .value = net_value,
    .gradient = net_gradient,
    .scores = scores,
    .loss = loss,
    .gradcheck = gradcheck,
};
