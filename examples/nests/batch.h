/* SPDX-License-Identifier: MIT */
/* Items of one or several groups with their rows, as the network reads them. */
#ifndef NESTS_BATCH_H
#define NESTS_BATCH_H

#include "examples/nests/data.h"
#include "examples/rows/scale.h"

/* Fits the scale to the training rows and items. Fails: as the maker. */
ag_status nests_scale_fit(nests_scale *scale, const nests_set *set, ag_failure *why);

/* Sizes are rounded up, so that batches have few shapes, each of which is planned once; what is
   added is part of no sum or loss. The place of an entry says which cost it counts: below `rows`,
   that of a row; at `rows`, 0; at rows + 1 + g, that of what all items of group g count alike. */
typedef struct nests_batch {
    int groups, items, rows, entries, alike; /* alike: entries of what items count alike; 0: there
                                                are none */
    int inputs;                              /* of a row */
    int count;                               /* of items, without those added by rounding up */
    ag_real *x;                              /* [rows, inputs] */
    int32_t *word;                           /* [rows] */
    int32_t *at, *start;                     /* [entries] place; [items + 1] */
    ag_real *weight;                         /* [entries] ln(times x work), less the base */
    int32_t *alike_at, *alike_start;         /* [alike] place; [groups + 1] */
    ag_real *alike_weight;                   /* [alike] */
    double *base;                            /* [items] ln(sum of times x work) + offset */

    /* Of items with run times. */
    int32_t *group, *group_start; /* [items], [groups + 1] */
    int32_t *rank;                /* [items] within the group */
    ag_real *target;   /* [items] ln(run time) - base, of compared groups less its mean */
    ag_real *sharp;    /* [items] weight of an error in the loss */
    ag_real *level;    /* [items] base less its mean in the group */
    ag_real *speed;    /* [items] fastest of the group / run time */
    ag_real *by_trees; /* [items] what the trees add to the base */

    const nests_group *first; /* its name is that of the batch in sentences */
    nests_rows *part;         /* [groups, or more] raw */
    /* Scratch of a group: run times and their ln. */
    int64_t *ns;
    double *y;
    ag_arena *memory; /* of the arrays, except `part` */
} nests_batch;

/* Some items of a group. */
typedef struct nests_pick {
    int group, count;
    const int *item; /* [count] ascending */
} nests_pick;

/* Fills the batch with items of groups, and with what the loss needs if `spread` is not
   NESTS_OPEN. Start from {0}. Fails: as the maker, AG_EMEMORY. */
ag_status nests_batch_fill(nests_batch *batch, const nests_data *data, const nests_scale *scale,
                           const nests_pick *pick, int groups, int spread, ag_failure *why);
void nests_batch_free(void *batch);

#endif
