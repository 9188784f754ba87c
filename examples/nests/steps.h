/* SPDX-License-Identifier: MIT */
/* The groups and items of each training step. */
#ifndef NESTS_STEPS_H
#define NESTS_STEPS_H

#include "examples/nests/batch.h"

/* Draws `most` of the training items of a group (all if there are fewer), ascending; returns their
   number. order: scratch for all items. */
int nests_choose(int *to, int32_t *order, const nests_set *set, int group, int most, uint64_t seed,
                 uint64_t number);

/* Every group that can be learned from is drawn once in an epoch, and each epoch has its own order.
   All that is drawn follows from the seed and the number of the step. */
typedef struct nests_sampler {
    const nests_set *set;
    const nests_scale *scale;
    const nests_settings *settings;
    int per_step;
    int32_t *group, *order; /* [groups] */
    int groups;
    int32_t *mixed;   /* of the largest group */
    nests_pick *pick; /* [per_step] */
    int *item;        /* of all of these */
    ag_arena *memory; /* of the arrays */
} nests_sampler;

/* Fails: AG_EUSE when no group can be learned from. Start from {0}; always close it. */
ag_status nests_sampler_open(nests_sampler *s, const nests_set *set, const nests_scale *scale,
                             const nests_settings *settings, ag_failure *why);
void nests_sampler_close(void *sampler);

/* Draws the groups and items of a step into s->pick; returns the number of groups. */
int nests_sampler_draw(nests_sampler *s, int64_t step);

/* A harness_fill of a nests_batch. */
ag_status nests_sampler_fill(void *sampler, int64_t step, void *batch, ag_failure *why);

#endif
