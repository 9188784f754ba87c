/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "tpu_made.h"
#include "tpu_lab.h"
#include "examples/harness/harness.h"

static float *make_features(int rows, int columns, ag_random *random)
{
    float *x = harness_alloc((size_t)(rows * columns) * sizeof *x);
    for (int i = 0; i < rows * columns; i++) {
        const int k = i % columns;
        x[i] = k % 3 ? (float)ag_random_below(random, 50) - 4.0F : 0.0F; /* every third constant */
    }
    return x;
}

static void make_edges(tpu_kernel *k, int crowded, ag_random *random)
{
    const int n = k->nodes, most = crowded ? 60 : 2 * n;
    k->edge = harness_alloc((size_t)most * 2 * sizeof *k->edge);
    for (int e = 0; n > 1 && e < most; e++) {
        int u = 1 + (int)ag_random_below(random, (uint32_t)n - 1);
        int v = (int)ag_random_below(random, (uint32_t)u);
        if (crowded && e % 2) u = n - 1, v = e / 2;
        if (crowded && !(e % 2)) u = n - 1 - e / 2, v = 0;
        k->edge[2 * e] = u;
        k->edge[2 * e + 1] = v;
        k->edges++;
    }
}

static void make_kernel(tpu_kernel *k, int i, tpu_task task, ag_random *random)
{
    k->nodes = i ? 1 + (int)ag_random_below(random, 30) : 60;
    k->configs = task == TPU_TILE ? 1 + 7 * i % 12 : 1;
    k->name = "made";
    k->number = i;
    k->feature = make_features(k->nodes, TPUGRAPHS_FEATURES, random);
    if (task == TPU_TILE) k->tile = make_features(k->configs, TPUGRAPHS_TILE_FEATURES, random);
    make_edges(k, !i, random);
    k->opcode = harness_alloc((size_t)k->nodes * sizeof *k->opcode);
    k->runtime = harness_alloc((size_t)k->configs * sizeof *k->runtime);
    for (int v = 0; v < k->nodes; v++) k->opcode[v] = (int32_t)ag_random_below(random, TPU_OPCODES);
    for (int c = 0; c < k->configs; c++) k->runtime[c] = 1000 + ag_random_below(random, 6);
}

void test_tpu_made(tpu_data *d, tpu_task task, int kernels, const int *program, const int *family,
                   uint64_t seed)
{
    ag_random random = {seed, 77, 0};
    *d = (tpu_data){.task = task, .kernels = kernels};
    d->kernel = calloc((size_t)kernels, sizeof *d->kernel);
    for (int i = 0; i < kernels; i++) {
        tpu_kernel *k = &d->kernel[i];
        k->program = program ? program[i] : 0;
        k->family = family ? family[i] : 0;
        if (k->program >= d->programs) d->programs = k->program + 1;
        if (k->family >= d->families) d->families = k->family + 1;
        make_kernel(k, i, task, &random);
    }
}

void test_tpu_made_free(tpu_data *d)
{
    for (int i = 0; i < d->kernels; i++) tpu_kernel_free(&d->kernel[i]);
    free(d->kernel);
    *d = (tpu_data){0};
}
