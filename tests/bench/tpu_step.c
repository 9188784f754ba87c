/* SPDX-License-Identifier: MIT */
/* The TPU performance model in the fusion task, on made kernels. */
#include "steps.h"

#include "support/tpu_kernels.h"

#include "examples/tpu/steps.h"

#include <stdlib.h>

typedef struct tpu {
    tpu_model model;
    tpu_batch batch;
    tpu_kernel *kernel; /* [kernels] */
    int kernels;
} tpu;

static ag_tensor *record(void *data, ag_tape *tape)
{
    tpu *t = data;
    return tpu_loss(tpu_forward(&t->model, tape, &t->batch), &t->batch, TPU_LOSS_SQUARED, 1);
}

static void finish(void *data)
{
    tpu *t = data;
    for (int i = 0; i < t->kernels; i++) tpu_kernel_free(&t->kernel[i]);
    tpu_batch_free(&t->batch);
    ag_params_free(t->model.params);
    tpu_model_free(&t->model);
    free(t->kernel);
    free(t);
}

static ag_status fill(tpu *t, int nodes, ag_failure *why)
{
    const tpu_scaler scaler = test_unit_scaler();
    tpu_sample *sample = calloc((size_t)t->kernels, sizeof *sample);
    for (int i = 0; i < t->kernels; i++) {
        t->kernel[i] = test_kernel_random(nodes, 2 * (nodes - 1), 0, (uint64_t)i + 1);
        sample[i] = (tpu_sample){&t->kernel[i], 0};
    }
    const ag_status bad =
        tpu_batch_fill(&t->batch, sample, t->kernels, &scaler, &t->model.batch, why);
    free(sample);
    return bad;
}

static ag_status open_with(tpu_reduction reduction, bench_network *network, int kernels, int nodes,
                           int hidden, ag_failure *why)
{
    tpu_options options = test_tpu_defaults(TPU_FUSION);
    options.embedding = 256; /* Table 5 */
    options.dropout = 0.1;
    options.hidden = hidden;
    options.reduction = reduction;
    options.direction = TPU_SEPARATE;
    tpu *t = calloc(1, sizeof *t);
    t->kernels = kernels;
    t->kernel = calloc((size_t)kernels, sizeof *t->kernel);
    ag_status bad = tpu_model_add(&t->model, ag_params_new(), &options, why);
    if (!bad) bad = fill(t, nodes, why);
    *network = (bench_network){t->model.params, t, record, finish};
    return bad;
}

ag_status bench_tpu_lstm(bench_network *network, int kernels, int nodes, int hidden,
                         ag_failure *why)
{
    return open_with(TPU_LSTM, network, kernels, nodes, hidden, why);
}

ag_status bench_tpu_transformer(bench_network *network, int kernels, int nodes, int hidden,
                                ag_failure *why)
{
    return open_with(TPU_TRANSFORMER, network, kernels, nodes, hidden, why);
}
