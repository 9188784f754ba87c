/* SPDX-License-Identifier: MIT */
/* Turns programs of the lab into kernels that the model reads, and predicts with it. */
#include "examples/tune/tune.h"

#include "core/error.h"
#include "examples/harness/harness.h"
#include "examples/lab/program/features.h"
#include "examples/tpu/data/hlo.h"

#include <math.h>

void tune_kernel_open(tpu_kernel *k, const lab_program *from)
{
    const size_t n = (size_t)from->n;
    int64_t(*rows)[2] = HARNESS_NEW(rows, n * LAB_OPERANDS);
    *k = (tpu_kernel){.name = from->name,
                      .nodes = from->n,
                      .edges = lab_edges(rows, from),
                      .feature = HARNESS_NEW(k->feature, n * LAB_FEATURES),
                      .opcode = HARNESS_NEW(k->opcode, n),
                      .reducer = HARNESS_NEW(k->reducer, n),
                      .dot = HARNESS_NEW(k->dot, n),
                      .configs = 1};
    k->edge = HARNESS_NEW(k->edge, 2 * (size_t)k->edges);
    for (int i = 0; i < from->n; i++) {
        const lab_node *v = &from->nodes[i];
        lab_node_features(k->feature + (size_t)i * LAB_FEATURES, from, i);
        k->opcode[i] = lab_op_code(v->op);
        k->reducer[i] = lab_reducer_code(from, i);
        if (v->op == LAB_DOT)
            k->dot[k->dots++] = (tpugraphs_dot){
                i, v->operand[0], v->operand[1], v->dot.batch, v->dot.left, v->dot.right};
    }
    for (int i = 0; i < 2 * k->edges; i++) k->edge[i] = (int32_t)rows[i / 2][i % 2];
    harness_free(rows);
    tpu_static_features(k->analysis, k);
}

void tune_kernel_tiles(tpu_kernel *k, int (*tile)[24], int count)
{
    k->configs = count;
    k->tile = HARNESS_NEW(k->tile, (size_t)count * TPUGRAPHS_TILE_FEATURES);
    for (int i = 0; i < count * TPUGRAPHS_TILE_FEATURES; i++)
        k->tile[i] = (float)tile[i / TPUGRAPHS_TILE_FEATURES][i % TPUGRAPHS_TILE_FEATURES];
}

ag_status tune_model_predict(const harness_runs *model, const tpu_settings *s, double *score,
                             const lab_configs *configs, const int *which, int count,
                             ag_failure *why)
{
    const int kernels = configs->fusion ? count : 1;
    const tpu_trained *net = model->run[0].net;
    tpu_data data = {.task = net->model.options.task, .kernels = kernels};
    const harness_scoring how = {.tape = model->tape, .settings = &s->harness, .models = 1};
    data.kernel = HARNESS_NEW(data.kernel, kernels);
    for (int i = 0; i < kernels; i++)
        tune_kernel_open(&data.kernel[i],
                         configs->fusion ? &configs->fusion->kernel[which[i]] : configs->program);
    if (!configs->fusion) tune_kernel_tiles(data.kernel, configs->tile, count);
    for (int i = 0; i < count; i++) score[i] = 0;
    tpu_score(score, &data, net, &how, why);
    for (int i = 0; i < count && !why->status; i++)
        if (!isfinite(score[i]))
            ag_fail(why, AG_EFINITE,
                    "%.160s: the score of item %d is %g; the run is of no use, choose another "
                    "checkpoint",
                    data.kernel[0].name, configs->fusion ? which[i] : i, score[i]);
        else if (configs->fusion)
            score[i] = nests_nanoseconds(score[i]);
    for (int i = 0; i < kernels; i++) tpu_kernel_free(&data.kernel[i]);
    harness_free(data.kernel);
    return why->status;
}
