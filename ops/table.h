/* SPDX-License-Identifier: MIT */
/* The table of all ops, made from ops/oplist.txt and gnn/oplist.txt: the tests, the docs and the
 * bench go through it. */
#ifndef AG_OPS_TABLE_H
#define AG_OPS_TABLE_H

#include "autograd/op.h"

/* Each file x of the lists defines its ops, ended by NULL. */
#define AG_OP_FILE(x) extern const ag_op *const ag__ops_##x[];
#include "op_table.inc"
#undef AG_OP_FILE

/* The i-th op of all files, NULL after the last. */
const ag_op *ag__op(int i);
const ag_op *ag__op_named(const char *name);

/* The gradient of a bias, which is added to each row of output 0, and its scratch. */
extern const ag_kernel ag__bias_backward;
int64_t ag__bias_scratch(const ag_args *a, int backward);

#endif
