/* SPDX-License-Identifier: MIT */
/* Boosted trees as plain arrays, which a checkpoint can hold and any build can score with. */
#ifndef HARNESS_TREES_H
#define HARNESS_TREES_H

#include "core/io/io.h"
#include "examples/harness/baseline/boosting.h"

/* Trees of one depth, d: a tree has 2^d - 1 nodes, level by level, and 2^d leaves; where it ends
   earlier, the leaves below are equal. A row goes left where its column is below the limit. Trees
   of zeros predict 0. */
typedef struct harness_trees {
    int count, depth;
    int32_t *column; /* [count, 2^depth - 1] */
    float *limit;    /* the same */
    float *leaf;     /* [count, 2^depth] */
} harness_trees;

static inline int harness_trees_nodes(const harness_trees *t) { return (1 << t->depth) - 1; }

/* Memory for `count` trees, all zeros; depth is 1 to 12. */
void harness_trees_open(harness_trees *trees, int count, int depth);
void harness_trees_close(harness_trees *trees);

/* Replaces the trees from `first` on by those of `boosting`, which must not be deeper; trees for
   which there is no room are left out. Fails: AG_EDATA. */
ag_status harness_trees_take(harness_trees *trees, int first, harness_boosting *boosting,
                             ag_failure *why);

/* item [3]: the arrays as tensors of a checkpoint, "state.trees.column", ".limit" and ".leaf".
   Returns 3. */
int harness_trees_list(ag_checkpoint_item *item, const harness_trees *trees);

/* The sum of `count` trees from `first` on for a row. */
double harness_trees_sum(const harness_trees *trees, int first, int count, const float *row);

/* Fails: AG_EDATA when a column is not below `columns`, or a number is not finite. */
ag_status harness_trees_check(const harness_trees *trees, int columns, ag_failure *why);

#endif
