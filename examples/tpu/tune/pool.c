/* SPDX-License-Identifier: MIT */
#include "examples/tpu/tune/pool.h"

#include "examples/harness/run/bag.h"

enum { UNKNOWN = -2 };

/* A node that reads a value twice is in the list twice. */
static void list_users(tune_pool *pool)
{
    const lab_program *p = pool->program;
    int *start = pool->start = harness_alloc(((size_t)p->n + 2) * sizeof *start), edges = 0;
    for (int i = 0; i < p->n; i++) {
        edges += p->nodes[i].n_operands;
        for (int k = 0; k < p->nodes[i].n_operands; k++) start[p->nodes[i].operand[k] + 2]++;
    }
    for (int i = 2; i <= p->n + 1; i++) start[i] += start[i - 1];
    pool->user = harness_alloc(((size_t)edges + 1) * sizeof *pool->user);
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->nodes[i].n_operands; k++)
            pool->user[start[p->nodes[i].operand[k] + 1]++] = i;
}

void tune_pool_open(tune_pool *pool, const lab_program *p)
{
    *pool = (tune_pool){.program = p};
    list_users(pool);
    pool->free = harness_alloc(((size_t)p->n + 1) * sizeof *pool->free);
    for (int i = 0; i < p->n - 1; i++)
        if (lab_is_grouped(p, i) && pool->start[i + 1] > pool->start[i])
            pool->free[pool->n_free++] = i;
}

void tune_pool_close(tune_pool *pool)
{
    for (int i = 0; i < pool->kernels; i++) harness_free(pool->kernel[i].node);
    bag_free(pool->kernel);
    tune_map_free(&pool->by_nodes);
    tune_map_free(&pool->by_hash);
    harness_free(pool->start);
    harness_free(pool->user);
    harness_free(pool->free);
    *pool = (tune_pool){0};
}

static ag_status make(lab_program *kernel, const lab_program *p, const int *group, int g,
                      ag_failure *why)
{
    if (lab_kernel(kernel, p, group, g))
        ag_fail(why, kernel->why.status, "%s: kernel %d: %s", p->name, g, kernel->why.sentence);
    return why->status;
}

/* The number of the kernel, which is added when no equal one exists. */
static int add_kernel(tune_pool *pool, uint64_t hash, const int *group, int g, int count)
{
    const int known = tune_map_find(&pool->by_hash, hash, UNKNOWN);
    if (known != UNKNOWN) return known;
    tune_recipe r = {harness_alloc((size_t)count * sizeof *r.node), 0};
    for (int i = 0; i < pool->program->n && r.count < count; i++)
        if (group[i] == g) r.node[r.count++] = i;
    bag_add(pool->kernel, r);
    tune_map_put(&pool->by_hash, hash, pool->kernels);
    return pool->kernels++;
}

int tune_pool_kernel(tune_pool *pool, const int *group, int g, uint64_t nodes, int count,
                     ag_failure *why)
{
    const int known = tune_map_find(&pool->by_nodes, nodes, UNKNOWN);
    lab_program kernel = {0};
    int number = TUNE_ILLEGAL;
    if (known != UNKNOWN) return known;
    if (!make(&kernel, pool->program, group, g, why)) {
        if (count == 1 || lab_fusible(&kernel))
            number = add_kernel(pool, lab_kernel_hash(&kernel), group, g, count);
        tune_map_put(&pool->by_nodes, nodes, number);
    }
    lab_program_clear(&kernel);
    return number;
}

ag_status tune_pool_programs(lab_fusion *kernels, const tune_pool *pool, const int *which,
                             int count, ag_failure *why)
{
    int *group = harness_alloc(((size_t)pool->program->n + 1) * sizeof *group);
    *kernels = (lab_fusion){0};
    for (int k = 0; k < count && !why->status; k++) {
        const tune_recipe *r = &pool->kernel[which[k]];
        for (int i = 0; i < r->count; i++) group[r->node[i]] = 1;
        lab_program kernel;
        make(&kernel, pool->program, group, 1, why);
        bag_add(kernels->kernel, kernel);
        kernels->n++;
        for (int i = 0; i < r->count; i++) group[r->node[i]] = 0;
    }
    harness_free(group);
    return why->status;
}
