/* SPDX-License-Identifier: MIT */
/* What the files of optim/ share and users do not see. */
#ifndef AG_OPTIM_INTERNAL_H
#define AG_OPTIM_INTERNAL_H

#include "core/internal.h"
#include "optim/optim.h"

#ifdef AG_DOUBLE
# define AG__REAL AG_F64
#else
# define AG__REAL AG_F32
#endif

/* Fails with AG_ESHAPE when `init` does not fit the shape (a fan needs two axes). */
ag_status ag__init_check(ag_init init, ag_shape shape, const char *name, ag_failure *why);
void ag__init_fill(ag_real *value, ag_init init, ag_shape shape, ag_random random);

/* 1 if text has 1..limit characters, all printable ASCII without space. */
int ag__plain_name(const char *text, int limit);
int ag__begins_with(const char *text, const char *prefix);

/* AG_EUSE with a sentence that begins with `who` unless the block is built and holds gradients. */
ag_status ag__need_gradients(const ag_params *params, const char *who, ag_failure *why);

#endif
