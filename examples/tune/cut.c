/* SPDX-License-Identifier: MIT */
/* Partitions, and the steps from one to the next. */
#include "examples/harness/base/bag.h"
#include "core/memory.h"
#include "examples/harness/base/draws.h"
#include "examples/tune/tune.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

enum { NONE = -1, SEVERAL = -2, ILLEGAL = -1, TRIES = 200 };

/* ---- the kernels of a program ---- */

void tune_pool_open(tune_pool *pool, const lab_program *p, const tune_meters *meters)
{
    const size_t n = (size_t)p->n + 1;
    *pool = (tune_pool){.program = p, .meters = meters, .factor = 1};
    map_owns(pool->number);
    pool->group = harness_take(&pool->memory, n * sizeof *pool->group);
    pool->nodes = harness_take(&pool->memory, n * sizeof *pool->nodes);
}

void tune_pool_close(tune_pool *pool)
{
    lab_fusion_clear(&pool->kernels);
    bag_free(pool->time);
    map_free(pool->number);
    ag_arena_free(pool->memory);
    *pool = (tune_pool){0};
}

/* The number of the kernel that ends in node g; ILLEGAL: its nodes cannot run as one kernel. */
static int kernel_of(tune_pool *pool, int g)
{
    char key[24];
    lab_program kernel;
    int number = ILLEGAL, nodes = 0;
    snprintf(key, sizeof key, "%016" PRIx64, pool->nodes[g]);
    const int known = map_find(pool->number, key);
    if (known >= 0) return pool->number[known].value;
    for (int i = 0; i <= g; i++) nodes += pool->group[i] == g;
    lab_kernel(&kernel, pool->program, pool->group, g);
    if (nodes == 1 || lab_fusible(&kernel)) /* a node alone is always a kernel, as in the lab */
        number = lab_fusion_add(&pool->kernels, &kernel);
    if (number == ILLEGAL) lab_program_clear(&kernel);
    if (number == bag_count(pool->time)) bag_add(pool->time, (tune_times){0});
    map_add(pool->number, key, number);
    return number;
}

tune_cut tune_cut_new(tune_pool *pool)
{
    const size_t n = (size_t)pool->program->n + 1;
    return (tune_cut){.output = harness_take(&pool->memory, n),
                      .part = harness_take(&pool->memory, n * sizeof(int))};
}

void tune_cut_copy(tune_cut *to, const tune_cut *from, const tune_pool *pool)
{
    memcpy(to->output, from->output, (size_t)pool->program->n);
    memcpy(to->part, from->part, (size_t)from->parts * sizeof *to->part);
    to->parts = from->parts;
    memcpy(to->key, from->key, sizeof to->key);
}

/* Readers have larger numbers, so a node knows those of all its readers when its turn comes. */
static void find_groups(const tune_cut *cut, tune_pool *pool)
{
    const lab_program *p = pool->program;
    int *group = pool->group;
    for (int i = 0; i < p->n; i++) group[i] = NONE;
    for (int i = p->n - 1; i >= 0; i--) {
        const bool grouped = lab_is_grouped(p, i);
        cut->output[i] = grouped && (cut->output[i] || group[i] < 0);
        if (!grouped) group[i] = NONE;
        if (cut->output[i]) group[i] = i;
        for (int k = 0; k < p->nodes[i].n_operands && grouped; k++) {
            int *reader = &group[p->nodes[i].operand[k]];
            *reader = *reader == NONE || *reader == group[i] ? group[i] : SEVERAL;
        }
    }
}

int tune_cut_settle(tune_cut *cut, tune_pool *pool)
{
    const int32_t n = pool->program->n;
    find_groups(cut, pool);
    memset(pool->nodes, 0, (size_t)n * sizeof *pool->nodes);
    snprintf(cut->key, sizeof cut->key, "%016" PRIx64, XXH3_64bits(cut->output, (size_t)n));
    cut->parts = 0;
    for (int32_t i = 0; i < n; i++) {
        const int g = pool->group[i];
        if (g >= 0) pool->nodes[g] = XXH3_64bits_withSeed(&i, sizeof i, pool->nodes[g]);
    }
    for (int g = 0; g < n; g++) {
        if (!cut->output[g]) continue;
        const int kernel = kernel_of(pool, g);
        if (kernel == ILLEGAL) return 0;
        cut->part[cut->parts++] = kernel;
    }
    return 1;
}

void tune_cut_draw(tune_cut *cut, tune_pool *pool, double rate, uint64_t seed)
{
    const int groups = lab_partition(pool->group, pool->program, rate, seed);
    for (int i = pool->program->n - 1, found = 0; i >= 0; i--) {
        /* Groups are numbered in the order of their outputs, which are their last nodes. */
        cut->output[i] = pool->group[i] == groups - 1 - found;
        found += cut->output[i];
    }
    tune_cut_settle(cut, pool); /* all kernels of the lab can run */
}

/* A node that no kernel can end in, or where one has to end, is put right by tune_cut_settle, and
   drawn in vain. */
int tune_cut_move(tune_cut *to, const tune_cut *from, tune_pool *pool, ag_random *random)
{
    for (int i = 0; i < TRIES; i++) {
        tune_cut_copy(to, from, pool);
        do to->output[harness_below(random, pool->program->n)] ^= 1;
        while (!harness_below(random, 4));
        if (tune_cut_settle(to, pool) && strcmp(to->key, from->key) != 0) return 1;
    }
    return 0;
}
