/* SPDX-License-Identifier: MIT */
/* Random fusion: producers are merged into the only group that reads them. Since a group has one
   output, which has one reading group when it is merged, no two groups ever depend on each
   other. */
#include "examples/harness/harness.h"
#include "core/random.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/lab/tile/tile_plan.h"

enum { OUTSIDE = -1, PASSES = 3, STREAM = 0xf05e };

/* While groups are merged, a group is named by its output, which is its last node. This is the only
   group that reads output x; OUTSIDE: none or several do. */
static int only_reader(const lab_program *p, const int *group, int x)
{
    int reader = OUTSIDE;
    for (int i = x + 1; i < p->n; i++)
        for (int k = 0; k < p->nodes[i].n_operands; k++) {
            if (p->nodes[i].operand[k] != x || group[i] == reader) continue;
            if (reader != OUTSIDE) return OUTSIDE;
            reader = group[i];
        }
    return reader;
}

/* Tests the cheap reasons against merging two groups first. */
static int too_much(const lab_program *p, const int *group, int a, int b)
{
    int nodes = 0, reductions = 0;
    for (int i = 0; i <= b; i++) {
        if (group[i] != a && group[i] != b) continue;
        nodes++;
        reductions += tile_is_reduction(&p->nodes[i]);
    }
    return nodes > TILE_NODES / 2 || reductions > 1;
}

static void try_merge(int *group, const lab_program *p, int from)
{
    lab_program kernel;
    const int to = only_reader(p, group, from);
    if (to == OUTSIDE || too_much(p, group, from, to)) return;
    int *merged = HARNESS_NEW(merged, p->n);
    for (int i = 0; i < p->n; i++) merged[i] = group[i] == from ? to : group[i];
    if (!lab_kernel(&kernel, p, merged, to) && lab_fusible(&kernel))
        for (int i = 0; i <= from; i++) group[i] = merged[i];
    lab_program_clear(&kernel);
    harness_free(merged);
}

int lab_partition(int *group, const lab_program *p, double rate, uint64_t seed)
{
    int32_t *order = HARNESS_NEW(order, p->n);
    ag_random random = {seed, STREAM, 0};
    int tried = 0, groups = 0;
    for (int i = 0; i < p->n; i++) {
        group[i] = lab_is_grouped(p, i) ? i : OUTSIDE;
        if (lab_is_grouped(p, i) && ag_random_uniform(&random) < rate) order[tried++] = i;
    }
    /* A later pass finds readers that earlier passes have merged. */
    for (int pass = 0; pass < PASSES; pass++) {
        ag_random_shuffle(&random, order, tried);
        for (int i = 0; i < tried; i++)
            if (group[order[i]] == order[i]) try_merge(group, p, order[i]);
    }
    /* The order of their outputs, which is topological, numbers the groups. */
    for (int i = 0; i < p->n; i++) order[i] = group[i] == i ? groups++ : OUTSIDE;
    for (int i = 0; i < p->n; i++)
        if (group[i] != OUTSIDE) group[i] = order[group[i]];
    harness_free(order);
    return groups;
}
