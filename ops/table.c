/* SPDX-License-Identifier: MIT */
#include "ops/table.h"

#include <string.h>

static const ag_op *const *const files[] = {
#define AG_OP_FILE(x) ag__ops_##x,
#include "op_table.inc"
#undef AG_OP_FILE
    NULL};

const ag_op *ag__op(int i)
{
    for (const ag_op *const *const *file = files; *file; file++)
        for (const ag_op *const *op = *file; *op; op++)
            if (i-- == 0) return *op;
    return NULL;
}

const ag_op *ag__op_named(const char *name)
{
    const ag_op *op;
    for (int i = 0; (op = ag__op(i)) != NULL; i++)
        if (strcmp(op->name, name) == 0) return op;
    return NULL;
}
