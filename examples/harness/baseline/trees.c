/* SPDX-License-Identifier: MIT */
#include "examples/harness/baseline/trees.h"
#include "examples/harness/harness.h"

#include <math.h>

void harness_trees_open(harness_trees *t, int count, int depth)
{
    *t = (harness_trees){.count = count, .depth = depth};
    const size_t nodes = (size_t)count * (size_t)harness_trees_nodes(t);
    const size_t leaves = nodes + (size_t)count;
    const size_t bytes = nodes * (sizeof *t->column + sizeof *t->limit) + leaves * sizeof *t->leaf;
    t->column = harness_alloc(bytes + 1);
    t->limit = (float *)(t->column + nodes);
    t->leaf = t->limit + nodes;
}

void harness_trees_close(harness_trees *t)
{
    harness_free(t->column);
    *t = (harness_trees){0};
}

int harness_trees_list(ag_checkpoint_item *item, const harness_trees *t)
{
    const ag_shape nodes = AG_SHAPE(t->count, harness_trees_nodes(t));
    const ag_shape leaves = AG_SHAPE(t->count, harness_trees_nodes(t) + 1);
    item[0] = (ag_checkpoint_item){"state.trees.column", AG_I32, nodes, t->column};
    item[1] = (ag_checkpoint_item){"state.trees.limit", AG_F32, nodes, t->limit};
    item[2] = (ag_checkpoint_item){"state.trees.leaf", AG_F32, leaves, t->leaf};
    return 3;
}

double harness_trees_sum(const harness_trees *t, int first, int count, const float *row)
{
    const int nodes = harness_trees_nodes(t);
    const int32_t *column = t->column + (size_t)first * (size_t)nodes;
    const float *limit = t->limit + (size_t)first * (size_t)nodes;
    const float *leaf = t->leaf + (size_t)first * (size_t)(nodes + 1);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        int at = 0;
        while (at < nodes) at = 2 * at + 1 + !(row[column[at]] < limit[at]);
        sum += (double)leaf[at - nodes];
        column += nodes;
        limit += nodes;
        leaf += nodes + 1;
    }
    return sum;
}

ag_status harness_trees_check(const harness_trees *t, int columns, ag_failure *why)
{
    const size_t nodes = (size_t)t->count * (size_t)harness_trees_nodes(t);
    for (size_t i = 0; i < nodes; i++)
        if (t->column[i] < 0 || t->column[i] >= columns || !isfinite(t->limit[i]))
            return ag_fail(why, AG_EDATA,
                           "trees: node %zu asks for column %d below %g; there are %d columns, and "
                           "a limit is finite",
                           i, (int)t->column[i], (double)t->limit[i], columns);
    for (size_t i = 0; i < nodes + (size_t)t->count; i++)
        if (!isfinite(t->leaf[i]))
            return ag_fail(why, AG_EDATA, "trees: leaf %zu is %g; it must be finite", i,
                           (double)t->leaf[i]);
    return AG_OK;
}
