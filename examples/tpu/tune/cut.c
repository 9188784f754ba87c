/* SPDX-License-Identifier: MIT */
/* Partitions, and the steps from one to the next. */
#include "examples/harness/run/bag.h"
#include "examples/tpu/tune/tune.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

enum { NONE = -1, SEVERAL = -2, ILLEGAL = -1, TRIES = 64 };

/* ---- the kernels of a program ---- */

void tune_pool_open(tune_pool *pool, const lab_program *p, const tune_meters *meters)
{
    const size_t n = (size_t)p->n + 1;
    *pool = (tune_pool){.program = p, .meters = meters};
    map_owns(pool->number);
    pool->movable = harness_take(&pool->memory, n * sizeof *pool->movable);
    pool->group = harness_take(&pool->memory, n * sizeof *pool->group);
    pool->nodes = harness_take(&pool->memory, n * sizeof *pool->nodes);
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->nodes[i].n_operands; k++) pool->group[p->nodes[i].operand[k]] = 1;
    for (int i = 0; i < p->n - 1; i++)
        if (lab_is_grouped(p, i) && pool->group[i]) pool->movable[pool->n_movable++] = i;
}

void tune_pool_close(tune_pool *pool)
{
    bag_free(pool->kernel);
    map_free(pool->number);
    ag_arena_free(pool->memory);
    *pool = (tune_pool){0};
}

static ag_status make(lab_program *kernel, const tune_pool *pool, int g, ag_failure *why)
{
    if (lab_kernel(kernel, pool->program, pool->group, g))
        ag_fail(why, kernel->why.status, "%s: kernel %d: %s", pool->program->name, g,
                kernel->why.sentence);
    return why->status;
}

/* The number of a kernel that is made, which is added when no equal one exists. */
static int add_kernel(tune_pool *pool, const lab_program *kernel)
{
    char key[24];
    snprintf(key, sizeof key, "kernel %016" PRIx64, lab_kernel_hash(kernel));
    const int known = map_find(pool->number, key);
    if (known >= 0) return pool->number[known].value;
    map_add(pool->number, key, bag_count(pool->kernel));
    bag_add(pool->kernel, (tune_kernel){0});
    return bag_count(pool->kernel) - 1;
}

/* A node alone is always a kernel, as in the lab. */
static bool is_alone(const tune_pool *pool, int g)
{
    int nodes = 0;
    for (int i = 0; i <= g; i++) nodes += pool->group[i] == g;
    return nodes == 1;
}

/* The number of the kernel that ends in node g; ILLEGAL: its nodes cannot run as one kernel, or an
   error is in `why`. */
static int kernel_of(tune_pool *pool, int g, ag_failure *why)
{
    char key[24];
    lab_program kernel = {0};
    int number = ILLEGAL;
    snprintf(key, sizeof key, "%016" PRIx64, pool->nodes[g]);
    const int known = map_find(pool->number, key);
    if (known >= 0) return pool->number[known].value;
    if (!make(&kernel, pool, g, why)) {
        if (is_alone(pool, g) || lab_fusible(&kernel)) number = add_kernel(pool, &kernel);
        map_add(pool->number, key, number);
    }
    lab_program_clear(&kernel);
    return number;
}

/* ---- partitions ---- */

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
        if (!lab_is_grouped(p, i)) {
            cut->output[i] = 0;
            group[i] = NONE;
            continue;
        }
        if (group[i] < 0) cut->output[i] = 1;
        if (cut->output[i]) group[i] = i;
        for (int k = 0; k < p->nodes[i].n_operands; k++) {
            int *reader = &group[p->nodes[i].operand[k]];
            *reader = *reader == NONE || *reader == group[i] ? group[i] : SEVERAL;
        }
    }
}

int tune_cut_settle(tune_cut *cut, tune_pool *pool, ag_failure *why)
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
        const int kernel = kernel_of(pool, g, why);
        if (kernel == ILLEGAL) return 0;
        cut->part[cut->parts++] = kernel;
    }
    return 1;
}

ag_status tune_cut_programs(lab_fusion *kernels, int **number, tune_pool *pool, tune_way way,
                            const tune_cut *cut, ag_failure *why)
{
    find_groups(cut, pool);
    for (int i = 0, part = 0; i < pool->program->n && !why->status; i++) {
        if (!cut->output[i]) continue;
        const int k = cut->part[part++];
        double *ns = pool->kernel[k].ns;
        lab_program kernel;
        if (ns[TUNE_HARDWARE] != 0 || ns[way] != 0) continue;
        ns[way] = -1; /* is listed */
        make(&kernel, pool, i, why);
        bag_add(kernels->kernel, kernel);
        bag_add(*number, k);
        kernels->n++;
    }
    return why->status;
}

ag_status tune_cut_draw(tune_cut *cut, tune_pool *pool, double rate, uint64_t seed, ag_failure *why)
{
    const lab_program *p = pool->program;
    const int groups = lab_partition(pool->group, p, rate, seed);
    for (int i = p->n - 1, found = 0; i >= 0; i--) {
        cut->output[i] = 0;
        /* Groups are numbered in the order of their outputs, which are their last nodes. */
        if (pool->group[i] == groups - 1 - found) cut->output[i] = 1, found++;
    }
    if (!tune_cut_settle(cut, pool, why) && !why->status)
        ag_fail(why, AG_ESHAPE,
                "%s: the lab's own partition has a kernel that cannot run; this is a defect",
                p->name);
    return why->status;
}

/* ---- moves ---- */

static int one_of(ag_random *random, int n) { return (int)ag_random_below(random, (uint32_t)n); }

/* Merges the kernel that ends in x into its reader. Half of the time only x moves, and the nodes
   that it reads form the old kernel. */
static void merge(tune_cut *cut, const lab_program *p, int x, ag_random *random)
{
    const lab_node *node = &p->nodes[x];
    cut->output[x] = 0;
    if (!one_of(random, 2)) return;
    for (int k = 0; k < node->n_operands; k++)
        if (lab_is_grouped(p, node->operand[k])) cut->output[node->operand[k]] = 1;
}

/* Ends a kernel of its own in x. Half of the time it also takes in the kernel of an operand. */
static void split(tune_cut *cut, const lab_program *p, int x, ag_random *random)
{
    const lab_node *node = &p->nodes[x];
    cut->output[x] = 1;
    if (one_of(random, 2) && node->n_operands)
        cut->output[node->operand[one_of(random, node->n_operands)]] = 0;
}

int tune_cut_move(tune_cut *to, const tune_cut *from, tune_pool *pool, ag_random *random,
                  ag_failure *why)
{
    for (int i = 0; i < TRIES && pool->n_movable && !why->status; i++) {
        int moves = 1;
        tune_cut_copy(to, from, pool);
        while (moves < 4 && !one_of(random, 4)) moves++;
        for (int k = 0; k < moves; k++) {
            const int x = pool->movable[one_of(random, pool->n_movable)];
            (to->output[x] ? merge : split)(to, pool->program, x, random);
        }
        if (tune_cut_settle(to, pool, why) && strcmp(to->key, from->key) != 0) return 1;
    }
    return 0;
}
