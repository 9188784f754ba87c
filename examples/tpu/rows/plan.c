/* SPDX-License-Identifier: MIT */
#include "examples/tpu/rows/nests.h"

static double iterations(const tpugraphs_loop *loop, int n)
{
    double all = 1;
    for (int i = 0; i < n; i++) all *= loop[i].size;
    return all;
}

void nests_plan_loops(nests_plan *plan, const tpugraphs_loop *loop, int n)
{
    const tpugraphs_loop one = {.size = 1, .out = 1};
    tpugraphs_loop all[NESTS_TILE_LOOPS + 1];
    int count = 0, free = 0;
    for (int i = 0; i < n; i++)
        if (loop[i].size > 1) all[count++] = loop[i];
    *plan = (nests_plan){.row = one, .sum = one, .next = one};
    count = tpugraphs_plan_loops(all, count, TPUGRAPHS_BY_STRIDES, &plan->folds);
    while (free < count && !all[free].reduce) free++;
    const int rows = free ? free - 1 : 0, sums = count > free ? count - free - 1 : 0;
    if (free) plan->row = all[rows];
    if (count > free) plan->sum = all[count - 1];
    plan->free = iterations(all, rows);
    plan->reduced = iterations(all + free, sums);
    plan->depth = rows + sums;
    if (plan->depth) plan->next = sums ? all[free + sums - 1] : all[rows - 1];
}
