/* SPDX-License-Identifier: MIT */
/* Declarations for the files of optim/. Users do not see them. */
#ifndef AG_OPTIM_INTERNAL_H
#define AG_OPTIM_INTERNAL_H

#include "core/internal.h"
#include "core/random.h"
#include "optim/optim.h"

#ifdef AG_DOUBLE
# define AG__REAL AG_F64
#else
# define AG__REAL AG_F32
#endif

/* Fails with AG_ESHAPE when `init` does not fit the shape (a fan needs two axes). */
ag_status ag__init_check(ag_init init, ag_shape shape, const char *name, const char *who,
                         ag_failure *why);
void ag__init_fill(ag_real *value, ag_init init, ag_shape shape, ag_random random);

/* The work of the steps of optim for a block on a device (params_device.c). */
ag_status ag__params_clip(ag_params *params, double most, double *norm, ag_failure *why);
/* The gradients on the device of the block, scaled there if ag_clip_norm has not done so yet. */
ag_real *ag__params_gradient(ag_params *params);
ag_status ag__need_built(const ag_params *params, const char *who, ag_failure *why);
/* The same, but a failure to make the parameters comes first. */
ag_status ag__need_sound(const ag_params *params, const char *who, ag_failure *why);

/* Reads the result of ag_clip_norm from the device if it is ready; with wait 1 it waits for it.
   Fails once with AG_EFINITE if the gradients were not finite: the block is then as it was before
   that step, and AG_BAD. */
ag_status ag__params_learn(ag_params *params, int wait, ag_failure *why);

/* Makes the block AG_BAD, and fails with a sentence on the gradient `at` of the flat array, which
   is `value`; at -1: on the norm. */
ag_status ag__refuse_gradients(ag_params *params, int64_t at, ag_real value, double norm,
                               ag_failure *why);
ag_status ag__params_send(ag_params *params,
                          ag_failure *why); /* the host's arrays, to the device */
void ag__params_leave(ag_params *params);   /* frees the memory on the device */

/* ---- the parts of a step (step.c) ---- */

/* Both fail with AG_EUSE and a sentence that begins with `who`: the first unless the block is built
   and holds gradients, the second unless learning rate and weight decay are finite and at least
   0. */
ag_status ag__need_gradients(ag_params *params, const char *who, ag_failure *why);
ag_status ag__check_rates(double lr, double decay, const char *who, ag_failure *why);

/* One step, after which the state is AG_EMPTY, or after a failure AG_BAD. For a block on the CPU it
   calls `update` for pieces of the parameters: elements from..from+n-1 of the flat arrays, all of a
   parameter with this `decay`, on the library's threads; else `launch` for the whole block. */
typedef void ag__update(ag_params *params, int64_t from, int64_t n, int decay, const void *numbers);
typedef void ag__launch(const ag_params *params, const void *numbers);
ag_status ag__step(ag_params *params, ag__update *update, ag__launch *launch, const void *numbers,
                   ag_failure *why);

#endif
