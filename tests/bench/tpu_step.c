/* SPDX-License-Identifier: MIT */
/* Kernels of 41 nodes made at random; forward, backward, clipping and Adam on a batch of them, or
   the scores of all configurations of one, in chunks. */
#include "tpu_step.h"

#include "examples/tpu/model/loss.h"
#include "examples/tpu/score.h"
#include "device.h"
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = BENCH_KERNEL_NODES, EDGES = 2 * (NODES - 1) };

static float *uniform(ag_random *r, int n)
{
    float *x = malloc((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) x[i] = (float)ag_random_uniform(r);
    return x;
}

/* Each node but the first consumes two of the eight before it. */
static void make_kernel(tpu_kernel *k, int configs, int tile, ag_random *r)
{
    int32_t *opcode = malloc(NODES * sizeof *opcode), *edge = malloc(EDGES * 2 * sizeof *edge);
    int64_t *runtime = malloc((size_t)configs * sizeof *runtime);
    for (int v = 0; v < NODES; v++) opcode[v] = (int32_t)ag_random_below(r, TPU_OPCODES);
    for (int e = 0; e < EDGES; e++) {
        const int u = 1 + e / 2, back = 1 + (int)ag_random_below(r, 8);
        edge[2 * e] = u;
        edge[2 * e + 1] = u > back ? u - back : 0;
    }
    for (int c = 0; c < configs; c++) runtime[c] = 1000 + ag_random_below(r, 100000);
    *k = (tpu_kernel){.name = "made",
                      .nodes = NODES,
                      .edges = EDGES,
                      .feature = uniform(r, NODES * TPUGRAPHS_FEATURES),
                      .opcode = opcode,
                      .edge = edge,
                      .configs = configs,
                      .tile = tile ? uniform(r, configs * TPUGRAPHS_TILE_FEATURES) : NULL,
                      .runtime = runtime};
    for (int i = 0; i < TPU_STATIC; i++) k->analysis[i] = (float)ag_random_uniform(r);
}

int bench_tpu_ranks(const bench_tpu *b) { return b->work.tile_at != TPU_NOWHERE; }

static int kernels(const bench_tpu *b) { return bench_tpu_ranks(b) ? 1 : b->work.samples; }

static void make_samples(bench_tpu *b)
{
    ag_random random = {7, 0, 0};
    const int ranks = bench_tpu_ranks(b), n = b->work.samples;
    b->kernel = calloc((size_t)kernels(b), sizeof *b->kernel);
    b->sample = malloc((size_t)n * sizeof *b->sample);
    b->score = malloc((size_t)n * sizeof *b->score);
    for (int i = 0; i < kernels(b); i++) make_kernel(&b->kernel[i], ranks ? n : 1, ranks, &random);
    for (int i = 0; i < n; i++)
        b->sample[i] = ranks ? (tpu_sample){b->kernel, i} : (tpu_sample){&b->kernel[i], 0};
    const tpu_data data = {.kernel = b->kernel, .kernels = kernels(b)};
    tpu_scaler_fit(&b->scaler, &data, 0, 0);
}

/* Samples of a batch: of a ranking as many as the program takes. */
static int chunk(const bench_tpu *b)
{
    const int n = b->work.samples;
    return bench_tpu_ranks(b) && n > BENCH_RANK_CHUNK ? BENCH_RANK_CHUNK : n;
}

static void fill(bench_tpu *b, int first, int count)
{
    ag_failure why = {0};
    const tpu_batch_options options = tpu_model_batch(&b->model.options);
    if (!tpu_batch_fill(&b->batch, b->sample + first, count, &b->scaler, &options, &why)) return;
    fprintf(stderr, "bench: %s\n", why.sentence);
    exit(1);
}

int bench_tpu_open(bench_tpu *b, const bench_tpu_work *work, int hidden)
{
    ag_failure why = {0};
    *b = (bench_tpu){.work = *work};
    tpu_options options = tpu_default_options(bench_tpu_ranks(b) ? TPU_TILE : TPU_FUSION);
    options.embedding = 256; /* Table 5 */
    options.dropout = 0.1;
    options.hidden = hidden;
    options.reduction = work->reduction;
    options.direction = work->direction;
    options.tile_at = work->tile_at;
    make_samples(b);
    b->tape = bench_tape();
    if (!b->tape || tpu_model_add(&b->model, ag_params_new(), &options, &why) ||
        ag_params_build(b->model.params, 1) || ag_params_to(b->model.params, bench_device, &why)) {
        fprintf(stderr, "bench: %s\n", why.sentence);
        return 1;
    }
    if (bench_tpu_ranks(b)) ag_tape_training(b->tape, 0);
    fill(b, 0, chunk(b));
    return 0;
}

ag_tensor *bench_tpu_record(bench_tpu *b)
{
    ag_tape_reset(b->tape);
    ag_tape_seed(b->tape, 1, (uint64_t)b->steps);
    ag_tensor *score = tpu_forward(&b->model, b->tape, &b->batch);
    return bench_tpu_ranks(b) ? score : tpu_loss(score, &b->batch, TPU_LOSS_SQUARED, 1);
}

/* As `tpu predict` does it. */
static void rank(bench_tpu *b, ag_failure *why)
{
    const tpu_data data = {.kernel = b->kernel, .kernels = 1};
    const tpu_scorer scorer = {.model = &b->model,
                               .scaler = &b->scaler,
                               .tape = b->tape,
                               .samples = BENCH_RANK_SAMPLES,
                               .nodes = BENCH_RANK_NODES};
    memset(b->score, 0, (size_t)b->work.samples * sizeof *b->score);
    tpu_score(&scorer, b->score, &data, 1, why);
    ag_tape_training(b->tape, 0);
}

static void train(bench_tpu *b, ag_failure *why)
{
    const ag_adam adam = ag_adam_default();
    ag_backward(bench_tpu_record(b));
    if (!ag_failed(b->tape) && !ag_clip_norm(b->model.params, 1, NULL, why))
        ag_adam_step(b->model.params, &adam, 1e-3, why);
}

double bench_tpu_run(bench_tpu *b)
{
    ag_failure why = {0};
    const double start = bench_now();
    if (bench_tpu_ranks(b))
        rank(b, &why);
    else
        train(b, &why);
    if (ag_failed(b->tape) || why.status) {
        fprintf(stderr, "bench: %s%s\n", ag_error(b->tape), why.sentence);
        exit(1);
    }
    bench_device_wait();
    b->steps++;
    return bench_now() - start;
}

/* Multiply-adds for each node after the input layer. */
static double node_products(const tpu_options *o)
{
    const double square = (double)o->hidden * o->hidden;
    const double sage = square * (o->direction == TPU_SEPARATE ? 5 : 4);
    /* The first node of a sequence has no state before it. */
    const double lstm = 4 * square * (1 + (NODES - 1.0) / NODES);
    const double encoder = square * (4 + 2 * o->feed) + 2.0 * NODES * o->hidden;
    return o->gnn_layers * sage + o->node_layers * square +
           (o->reduction == TPU_LSTM ? lstm : o->encoder_layers * encoder);
}

double bench_tpu_flops(const bench_tpu *b)
{
    const tpu_options *o = &b->model.options;
    const double h = o->hidden, rows = (double)kernels(b) * NODES;
    const double table = (double)TPU_OPCODES * o->embedding * h;
    const double input = rows * TPUGRAPHS_FEATURES * h; /* the features need no gradient */
    if (!bench_tpu_ranks(b)) return 2 * (3 * table + 2 * input + 3 * rows * node_products(o));
    const double nodes = o->tile_at == TPU_AT_NODES ? rows * b->work.samples : rows;
    const double join = o->tile_at == TPU_AT_KERNEL ? (h + TPUGRAPHS_TILE_FEATURES) * h : 0;
    return 2 * (table + input + nodes * node_products(o) + join * b->work.samples);
}

void bench_tpu_close(bench_tpu *b)
{
    for (int i = 0; i < kernels(b); i++) {
        free((void *)b->kernel[i].feature);
        free((void *)b->kernel[i].opcode);
        free((void *)b->kernel[i].edge);
        free((void *)b->kernel[i].tile);
        free((void *)b->kernel[i].runtime);
    }
    free(b->kernel);
    free(b->sample);
    free(b->score);
    tpu_batch_free(&b->batch);
    tpu_model_free(&b->model);
    ag_tape_free(b->tape);
}
