/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "tpu_made.h"
#include "tpu_kernels.h"

static void make_kernel(tpu_kernel *k, int i, tpu_task task, ag_random *random)
{
    enum { CROWDED = 60 };
    const int nodes = i ? 1 + (int)ag_random_below(random, 30) : CROWDED;
    const int edges = nodes == 1 ? 0 : i ? 2 * nodes : CROWDED;
    const int configs = task == TPU_TILE ? 1 + 7 * i % 12 : 0;
    const tpu_kernel made = test_kernel_random(nodes, edges, configs, ag_random_bits(random));
    for (int e = 0; !i && e < CROWDED; e++) {
        made.edge[2 * e] = CROWDED - 1 - (e % 2 ? 0 : e / 2);
        made.edge[2 * e + 1] = e % 2 ? e / 2 : 0;
    }
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
