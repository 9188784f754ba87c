/* SPDX-License-Identifier: MIT */
/* The part of a trial that knows the type of ag_real. */
#ifndef AG_TESTS_OP_INSIDE_H
#define AG_TESTS_OP_INSIDE_H

#include "autograd/op.h"

typedef struct inside {
    const ag_op *op;
    int index;
    ag_attr attr;
    ag_tape *tape;
    ag_params *params;
    ag_param *param[AG_MAX_IN]; /* NULL: int32 */
    int32_t *ints[AG_MAX_IN];
    ag_real *c[AG_MAX_OUT];
} inside;

#endif
