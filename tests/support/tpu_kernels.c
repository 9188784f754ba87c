/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "core/random.h"
#include "tpu_kernels.h"

tpu_kernel test_kernel_new(int nodes, int edges, int configs)
{
    const int times = configs ? configs : 1;
    tpu_kernel k = {.name = "made",
                    .nodes = nodes,
                    .edges = edges,
                    .feature = calloc((size_t)nodes * TPUGRAPHS_FEATURES, sizeof *k.feature),
                    .opcode = calloc((size_t)nodes, sizeof *k.opcode),
                    .edge = calloc(2 * (size_t)edges + 1, sizeof *k.edge),
                    .configs = times,
                    .runtime = calloc((size_t)times, sizeof *k.runtime)};
    if (configs) k.tile = calloc((size_t)configs * TPUGRAPHS_TILE_FEATURES, sizeof *k.tile);
    return k;
}

static void draw(float *x, int n, ag_random *r)
{
    for (int i = 0; i < n; i++) x[i] = (float)ag_random_uniform(r);
}

tpu_kernel test_kernel_random(int nodes, int edges, int configs, uint64_t seed)
{
    ag_random r = {seed, 3, 0};
    tpu_kernel k = test_kernel_new(nodes, edges, configs);
    int32_t order[64];
    draw(k.feature, nodes * TPUGRAPHS_FEATURES, &r);
    draw(k.analysis, TPU_STATIC, &r);
    if (configs) draw(k.tile, configs * TPUGRAPHS_TILE_FEATURES, &r);
    for (int v = 0; v < nodes; v++) k.opcode[v] = (int32_t)ag_random_below(&r, TPU_OPCODES);
    for (int e = 0; e < edges; e++) {
        const uint32_t u = 1 + ag_random_below(&r, (uint32_t)nodes - 1);
        k.edge[2 * e] = (int32_t)u;
        k.edge[2 * e + 1] = (int32_t)ag_random_below(&r, u);
    }
    for (int c = 0; c < 64; c++) order[c] = c;
    ag_random_shuffle(&r, order, k.configs);
    for (int c = 0; c < k.configs; c++) k.runtime[c] = 100 + order[c];
    return k;
}

int test_samples(tpu_sample *sample, const tpu_kernel *kernel, int kernels)
{
    int n = 0;
    for (int k = 0; k < kernels; k++)
        for (int c = 0; c < kernel[k].configs; c++) sample[n++] = (tpu_sample){&kernel[k], c};
    return n;
}

static void whole(tpu_range *range)
{
    range->rows = 1;
    for (int c = 0; c < range->columns; c++) range->high[c] = 1;
}

tpu_scaler test_unit_scaler(void)
{
    tpu_scaler s;
    tpu_scaler_begin(&s, 0, 0);
    whole(&s.node);
    whole(&s.tile);
    whole(&s.analysis);
    return s;
}

tpu_options test_tpu_defaults(tpu_task task)
{
    tpu_settings s;
    harness_options_free(harness_options_new(&tpu_program_table, HARNESS_TRAIN, &s));
    tpu_settle(&s, task);
    return s.model;
}

/* ---- data ---- */

static void make_kernel(tpu_kernel *k, int i, tpu_task task, ag_random *random)
{
    const int nodes = 1 + (int)ag_random_below(random, 30), edges = nodes == 1 ? 0 : 2 * nodes;
    const int configs = task == TPU_TILE ? 1 + 7 * i % 12 : 0;
    const tpu_kernel made = test_kernel_random(nodes, edges, configs, ag_random_bits(random));
    for (int j = 0; j < nodes * TPUGRAPHS_FEATURES; j++) /* every third column is constant */
        made.feature[j] = j % TPUGRAPHS_FEATURES % 3 ? floorf(50 * made.feature[j]) - 4 : 0;
    for (int c = 0; c < made.configs; c++) made.runtime[c] = 1000 + made.runtime[c] % 6;
    *k = made;
    k->number = i;
}

void test_tpu_made(tpu_data *d, tpu_task task, int kernels, const int *program, const int *family,
                   uint64_t seed)
{
    ag_random random = {seed, 77, 0};
    *d = (tpu_data){.task = task, .kernels = kernels};
    d->kernel = calloc((size_t)kernels, sizeof *d->kernel);
    for (int i = 0; i < kernels; i++) {
        tpu_kernel *k = &d->kernel[i];
        make_kernel(k, i, task, &random);
        k->program = program ? program[i] : 0;
        k->family = family ? family[i] : 0;
        if (k->program >= d->programs) d->programs = k->program + 1;
        if (k->family >= d->families) d->families = k->family + 1;
    }
}

void test_tpu_made_free(tpu_data *d)
{
    for (int i = 0; i < d->kernels; i++) tpu_kernel_free(&d->kernel[i]);
    free(d->kernel);
    *d = (tpu_data){0};
}
