/* SPDX-License-Identifier: MIT */
/* Random fusion: producers are merged into the only group that reads them. Since a group has one
   output, which has one reading group when it is merged, no two groups ever depend on each
   other. */
#include "examples/harness/harness.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/lab/tile/tile_plan.h"

enum { OUTSIDE = -1, PASSES = 3, STREAM = 0xf05e };

/* While groups are merged, a group is named by its output, which is its last node. */
typedef struct partition {
    const lab_program *p;
    int *group;
    int32_t *order; /* the nodes in the order in which merges are tried */
} partition;

/* The only group that reads output x; OUTSIDE: none or several do. */
static int only_reader(const partition *s, int x)
{
    int reader = OUTSIDE;
    for (int i = x + 1; i < s->p->n; i++)
        for (int k = 0; k < s->p->nodes[i].n_operands; k++) {
            if (s->p->nodes[i].operand[k] != x || s->group[i] == reader) continue;
            if (reader != OUTSIDE) return OUTSIDE;
            reader = s->group[i];
        }
    return reader;
}

/* Tests the cheap reasons against merging two groups first. */
static int too_much(const partition *s, int a, int b)
{
    int nodes = 0, reductions = 0;
    for (int i = 0; i <= b; i++) {
        if (s->group[i] != a && s->group[i] != b) continue;
        nodes++;
        reductions += tile_is_reduction(&s->p->nodes[i]);
    }
    return nodes > TILE_NODES / 2 || reductions > 1;
}

static void try_merge(partition *s, int from)
{
    lab_program kernel;
    const int to = only_reader(s, from), n = s->p->n;
    if (to == OUTSIDE || too_much(s, from, to)) return;
    int *merged = harness_alloc((size_t)n * sizeof *merged);
    for (int i = 0; i < n; i++) merged[i] = s->group[i] == from ? to : s->group[i];
    if (!lab_kernel(&kernel, s->p, merged, to) && lab_fusible(&kernel))
        for (int i = 0; i <= from; i++) s->group[i] = merged[i];
    lab_program_clear(&kernel);
    harness_free(merged);
}

/* Numbers the groups in the order of their outputs, which is topological. */
static int renumber(int *group, const int32_t *output, int n)
{
    int groups = 0;
    for (int i = 0; i < n; i++)
        if (output[i] == i) group[i] = groups++;
    for (int i = 0; i < n; i++) group[i] = output[i] == OUTSIDE ? OUTSIDE : group[output[i]];
    return groups;
}

int lab_partition(int *group, const lab_program *p, double rate, uint64_t seed)
{
    partition s = {p, group, harness_alloc((size_t)p->n * sizeof *s.order + 1)};
    ag_random random = {seed, STREAM, 0};
    int tried = 0;
    for (int i = 0; i < p->n; i++) {
        group[i] = lab_is_grouped(p, i) ? i : OUTSIDE;
        if (lab_is_grouped(p, i) && ag_random_uniform(&random) < rate) s.order[tried++] = i;
    }
    /* A later pass finds readers that earlier passes have merged. */
    for (int pass = 0; pass < PASSES; pass++) {
        ag_random_shuffle(&random, s.order, tried);
        for (int i = 0; i < tried; i++)
            if (group[s.order[i]] == s.order[i]) try_merge(&s, s.order[i]);
    }
    for (int i = 0; i < p->n; i++) s.order[i] = group[i];
    const int groups = renumber(group, s.order, p->n);
    harness_free(s.order);
    return groups;
}
