/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the planner share. */
#ifndef AG_AUTOGRAD_PLAN_H
#define AG_AUTOGRAD_PLAN_H

#include "autograd/tape.h"

typedef struct ag_builder {
    ag_tape *tape;
    ag_plan *plan;
    const ag_tensor *wanted;
    int training, fuse, failed;
    int *needs, *has; /* by tensor: its gradient is wanted; by root: its gradient has been
                         written */
    ag_job spare;     /* what new_job returns when there is no memory */
} ag_builder;

/* The kernels of an op on the device of the tape. */
ag_kernels ag__kernels_of(const ag_builder *b, const ag_op *op);

/* The buffer that `map` holds for the storage of a tensor, made if there is none. */
int ag__buffer_of(ag_builder *b, int *map, const ag_tensor *t);

/* The first finds the first and last step of every buffer, and marks as saved what backward reads
   of the first `forward_steps` steps. The second moves a buffer that only one fused group uses to
   the tiles of this group. */
void ag__plan_life(ag_builder *b, const ag_tensor *wanted, int forward_steps);
void ag__plan_tiles(ag_builder *b);

/* The first returns the node that the kernel of node k also computes (ag_kernels.folds), -1: none;
   the second whether another node's kernel computes node k (plan_kernels.c). */
int ag__folds(const ag_builder *b, int k);
int ag__is_folded(const ag_builder *b, int k);

/* Whether an elementwise job may join a group, and whether a step accepts another job. */
int ag__may_join(const ag_builder *b, ag_job *job);
int ag__is_open(const ag_builder *b, const ag_step *step);

#endif
