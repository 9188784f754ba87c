/* SPDX-License-Identifier: MIT */
/* The columns that regressions read: one-hot digits of one file's nodes, or counts that exist for
   any program. */
#ifndef TGRAPH_COLUMNS_H
#define TGRAPH_COLUMNS_H

#include "examples/tgraph/data/data.h"

/* Configurations of a file to fit on or to score. */
typedef struct tgraph_part {
    const tgraph_file *file;
    const int32_t *config; /* [count] configurations; NULL: 0..count-1 */
    int count;
} tgraph_part;

static inline int tgraph_part_config(const tgraph_part *part, int i)
{
    return part->config ? part->config[i] : i;
}

enum {
    TGRAPH_KEYS = TGRAPH_DIGITS * TGRAPH_LAYOUT_ROWS, /* digits and values of a node */
    TGRAPH_KINDS = 4, /* of configurable nodes: convolution, dot, reshape, other */
    TGRAPH_COUNTS = TGRAPH_KINDS * TGRAPH_KEYS,
    TGRAPH_POOLED = 2 * TGRAPH_NUMERIC,
    TGRAPH_COUNT_COLUMNS = 2 * TGRAPH_COUNTS + TGRAPH_POOLED
};

/* How many configurable nodes of a kind have a digit at a value, x[(kind 18 + digit) 8 + row]; the
   same with each node counted log(1 + elements of its shape) times, x[576 + ...]; then `pooled`. */
void tgraph_count_row(float x[TGRAPH_COUNT_COLUMNS], const tgraph_file *file, int config,
                      const float pooled[TGRAPH_POOLED]);
/* Mean, then maximum, over all nodes of sign(v) log(1+|v|) of the numeric columns. */
void tgraph_pool(float pooled[TGRAPH_POOLED], const tgraph_graph *graph);

/* The keys of the columns that differ over the rows, (node 18 + digit) 8 + row, ascending, for the
   caller to free: without constant ones, equal ones once, and of more than `most` those that vary
   most. *found: how many there were before. Fails: AG_EUSE (too many nodes). */
int32_t *tgraph_onehot_keys(int *columns, int *found, const tgraph_file *file,
                            const int32_t *config, int rows, int most, ag_failure *why);
void tgraph_onehot_row(float *x, const int32_t *key, int columns, const tgraph_file *file,
                       int config);

#endif
