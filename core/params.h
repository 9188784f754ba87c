/* SPDX-License-Identifier: MIT */
/* Parameters: what the tape and the optimizers share. */
#ifndef AG_CORE_PARAMS_H
#define AG_CORE_PARAMS_H

#include "core/types.h"

/* The state of a block's gradients. AG_EMPTY: there are none yet. AG_READY: they are summed over
   all backward runs since the last step. AG_BAD: they are useless values of a failed run. */
typedef enum ag_gradient_state { AG_EMPTY, AG_READY, AG_BAD } ag_gradient_state;

/* One named parameter: a view into the flat arrays of its block. */
struct ag_param {
    const char *name;
    ag_shape shape;
    int64_t offset, count; /* in elements, within the arrays of the block */
    ag_real *value, *gradient;
    ag_params *block;
    int decay; /* 1: weight decay applies */
};

/* A block: all parameters of a model. Weights, gradients and both moments of Adam (SGD uses only m)
   are one flat array each, with the same layout: every parameter starts on a 64-byte boundary, and
   the gaps are 0. */
struct ag_params {
    ag_arena *arena;
    ag_param **list;
    int count, capacity;
    int64_t size; /* elements of each flat array, gaps included */
    ag_real *value, *gradient, *m, *v;
    ag_gradient_state state;
    int64_t step; /* optimizer steps done */
    ag_failure failure;
    ag_device
        device; /* the device of the block (ag_params_to); on AG_CUDA the arrays above are a copy */
    int behind; /* 1: that copy is out of date (ag_params_fetch) */
    double norm;    /* of the last ag_clip_norm (ag_params_norm); below 0: not measured */
    ag_real *there; /* memory of the device: value, gradient, m and v, `size` elements each */
    int8_t *decays; /* memory of the device: `decay`, once for every 16 elements */
    struct ag__clip *clip; /* on the device: result of ag_clip_norm */
    int unread;            /* 1: the host has not read `clip` yet */
    int clipped; /* 1: the gradients on the device still lack the factor of ag_clip_norm */
};

#endif
