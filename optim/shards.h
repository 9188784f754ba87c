/* SPDX-License-Identifier: MIT */
/* Sums of shards: what shards.c and shards_ranks.c share. */
#ifndef AG_OPTIM_SHARDS_H
#define AG_OPTIM_SHARDS_H

#include "core/ranks.h"
#include "optim/internal.h"

enum { AG__SHARDS_DEPTH = 84 }; /* the most sums that wait at a time, for 2^40 shards */

/* The sum of the shards first..first+size-1. */
typedef struct ag__subtree {
    ag_real *sum;
    int64_t first, size;
} ag__subtree;

/* The sums that wait for their siblings, and memory for more. */
typedef struct ag__shards_stack {
    ag_device device;
    int64_t n;      /* numbers of a sum */
    int64_t shards; /* of a step; the sum of all of them is divided by their number */
    ag__subtree at[AG__SHARDS_DEPTH];
    ag_real *spare[AG__SHARDS_DEPTH];
    int depth, spares;
} ag__shards_stack;

struct ag_shards {
    ag_params *params;
    ag_ranks *ranks; /* NULL: one */
    int64_t first, end, next;
    ag__shards_stack own, slice; /* slice: of the numbers that this rank adds up for all */

    /* Made once, in the first exchange. */
    ag_real *buffer;     /* what is sent and received, on the device of the sums */
    ag_real *host;       /* a mirror of `buffer` in host memory, used when devices cannot exchange
                            directly; else NULL */
    ag_ranks_part *part; /* [4 count]: what goes to each rank, what comes from each, then both in
                            host memory */
};

/* Memory on the device of the sums. */
void *ag__shards_take(const ag__shards_stack *s, size_t bytes); /* NULL: no memory */
void ag__shards_give(const ag__shards_stack *s, void *p);
void ag__shards_copy(const ag__shards_stack *s, void *to, const void *from, size_t bytes);

/* Adds `x`, which does not change, to the sums; copies it if it has no sibling. Fails:
   AG_EMEMORY. */
ag_status ag__shards_push(ag__shards_stack *s, ag__subtree x, ag_failure *why);
/* Returns the only remaining sum; the memory of all sums can then be used again. */
const ag_real *ag__shards_finish(ag__shards_stack *s);
void ag__shards_forget(ag__shards_stack *s);

/* The mean over all ranks becomes the block's gradient. Fails: as exchange, AG_EMEMORY. */
ag_status ag__shards_exchange(ag_shards *s, ag_failure *why);

#endif
