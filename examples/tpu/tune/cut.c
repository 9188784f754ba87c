/* SPDX-License-Identifier: MIT */
#include "examples/tpu/tune/cut.h"

#include "examples/harness/harness.h"

#include <string.h>
#include <xxhash.h>

enum { NONE = -1, SEVERAL = -2, TRIES = 64 };

void tune_cut_open(tune_cut *cut, tune_pool *pool)
{
    const size_t n = (size_t)pool->program->n + 1;
    *cut = (tune_cut){.pool = pool};
    cut->output = harness_alloc(n);
    cut->group = harness_alloc(n * sizeof *cut->group);
    cut->part = harness_alloc(n * sizeof *cut->part);
}

void tune_cut_close(tune_cut *cut)
{
    harness_free(cut->output);
    harness_free(cut->group);
    harness_free(cut->part);
    *cut = (tune_cut){0};
}

void tune_cut_copy(tune_cut *to, const tune_cut *from)
{
    const size_t n = (size_t)from->pool->program->n;
    memcpy(to->output, from->output, n);
    memcpy(to->group, from->group, n * sizeof *to->group);
    memcpy(to->part, from->part, (size_t)from->parts * sizeof *to->part);
    to->parts = from->parts;
    to->hash = from->hash;
}

/* The group that contains all readers of node i, NONE or SEVERAL; a group is named by its
   output. */
static int reader_of(const tune_cut *cut, int i)
{
    const tune_pool *pool = cut->pool;
    int reader = NONE;
    for (int k = pool->start[i]; k < pool->start[i + 1]; k++) {
        const int group = cut->group[pool->user[k]];
        if (reader != NONE && group != reader) return SEVERAL;
        reader = group;
    }
    return reader;
}

/* Readers have larger numbers, so they have their groups when a node gets its own. */
static void find_groups(tune_cut *cut)
{
    const lab_program *p = cut->pool->program;
    for (int i = p->n - 1; i >= 0; i--) {
        cut->group[i] = NONE;
        if (!lab_is_grouped(p, i)) {
            cut->output[i] = 0;
            continue;
        }
        const int reader = i == p->n - 1 ? NONE : reader_of(cut, i);
        if (reader < 0) cut->output[i] = 1;
        cut->group[i] = cut->output[i] ? i : reader;
    }
}

/* Numbers the groups in the order of their outputs, which is topological. `place` has room for the
   new numbers. */
static int renumber(tune_cut *cut, int *place)
{
    const int n = cut->pool->program->n;
    int groups = 0;
    for (int i = 0; i < n; i++)
        if (cut->output[i]) place[i] = groups++;
    for (int i = 0; i < n; i++)
        if (cut->group[i] >= 0) cut->group[i] = place[cut->group[i]];
    return groups;
}

static int find_kernels(tune_cut *cut, ag_failure *why)
{
    const int n = cut->pool->program->n;
    uint64_t *nodes = harness_alloc((size_t)cut->parts * sizeof *nodes + 1);
    int *count = harness_alloc((size_t)cut->parts * sizeof *count + 1), legal = 1;
    for (int32_t i = 0; i < n; i++) {
        const int g = cut->group[i];
        if (g < 0) continue;
        nodes[g] = XXH3_64bits_withSeed(&i, sizeof i, nodes[g]);
        count[g]++;
    }
    for (int g = 0; g < cut->parts && legal; g++) {
        cut->part[g] = tune_pool_kernel(cut->pool, cut->group, g, nodes[g], count[g], why);
        legal = cut->part[g] != TUNE_ILLEGAL;
    }
    harness_free(nodes);
    harness_free(count);
    return legal;
}

int tune_cut_settle(tune_cut *cut, ag_failure *why)
{
    find_groups(cut);
    cut->hash = XXH3_64bits(cut->output, (size_t)cut->pool->program->n);
    cut->parts = renumber(cut, cut->part);
    return find_kernels(cut, why);
}

ag_status tune_cut_draw(tune_cut *cut, double rate, uint64_t seed, ag_failure *why)
{
    const lab_program *p = cut->pool->program;
    lab_partition(cut->group, p, rate, seed);
    memset(cut->output, 0, (size_t)p->n);
    int *last = harness_alloc(((size_t)p->n + 1) * sizeof *last);
    for (int i = 0; i < p->n; i++)
        if (cut->group[i] >= 0) last[cut->group[i]] = i;
    for (int i = 0; i < p->n; i++)
        if (cut->group[i] >= 0 && last[cut->group[i]] == i) cut->output[i] = 1;
    harness_free(last);
    if (!tune_cut_settle(cut, why) && !why->status)
        ag_fail(why, AG_ESHAPE,
                "%s: the lab's own partition has a kernel that cannot run; this is a defect",
                p->name);
    return why->status;
}

/* ---- moves ---- */

static int one_of(ag_random *random, int n) { return (int)ag_random_below(random, (uint32_t)n); }

/* Merges the kernel that ends in x into its reader. Half of the time only x moves, and the nodes
   that it reads form the old kernel. */
static void merge(tune_cut *cut, int x, ag_random *random)
{
    const lab_node *node = &cut->pool->program->nodes[x];
    cut->output[x] = 0;
    if (!one_of(random, 2)) return;
    for (int k = 0; k < node->n_operands; k++)
        if (lab_is_grouped(cut->pool->program, node->operand[k])) cut->output[node->operand[k]] = 1;
}

/* Ends a kernel of its own in x. Half of the time it also takes in the kernel of an operand. */
static void split(tune_cut *cut, int x, ag_random *random)
{
    const lab_node *node = &cut->pool->program->nodes[x];
    cut->output[x] = 1;
    if (one_of(random, 2) && node->n_operands)
        cut->output[node->operand[one_of(random, node->n_operands)]] = 0;
}

int tune_cut_move(tune_cut *to, const tune_cut *from, ag_random *random, ag_failure *why)
{
    const tune_pool *pool = from->pool;
    if (!pool->n_free) return 0;
    for (int i = 0; i < TRIES && !why->status; i++) {
        int moves = 1;
        tune_cut_copy(to, from);
        while (moves < 4 && !one_of(random, 4)) moves++;
        for (int k = 0; k < moves; k++) {
            const int x = pool->free[one_of(random, pool->n_free)];
            (to->output[x] ? merge : split)(to, x, random);
        }
        if (tune_cut_settle(to, why) && to->hash != from->hash) return 1;
    }
    return 0;
}
