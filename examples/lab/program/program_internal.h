/* SPDX-License-Identifier: MIT */
/* Declarations that the files of a program share. */
#ifndef LAB_PROGRAM_INTERNAL_H
#define LAB_PROGRAM_INTERNAL_H

#include "examples/lab/program/program.h"

/* Element types as a set. */
enum { LAB_IN_F32 = 1, LAB_IN_S32 = 2, LAB_IN_PRED = 4, LAB_IN_ANY = 7 };

/* A node under examination; `where` begins its sentences ("net.txt:12"). */
typedef struct lab_site {
    const lab_program *p; /* operands are found here */
    const lab_node *node;
    const char *where;
    ag_failure *why;
} lab_site;

/* "WHERE: OP: ..." as a failure. */
ag_status lab__refuse(const lab_site *site, ag_status status, const char *format, ...)
    AG_PRINTF(3, 4);

/* The node of operand k; its index has been checked. */
static inline const lab_node *lab__operand(const lab_site *site, int k)
{
    return &site->p->nodes[site->node->operand[k]];
}

/* The shape of a node whose operands, by number and type, have been checked; or a failure.
   Parameters, constants, iota, broadcast, reshape and convert take the part that operands do not
   determine from the node's own shape. */
typedef ag_status lab_shape_rule(lab_shape *shape, const lab_site *site);
lab_shape_rule lab__shape_given, lab__shape_constant, lab__shape_iota, lab__shape_select,
    lab__shape_reduce, lab__shape_gather;
lab_shape_rule lab__shape_same, lab__shape_compare; /* all that are elementwise, of one shape */
lab_shape_rule lab__shape_window, lab__shape_convolution, lab__shape_dot;
lab_shape_rule lab__shape_broadcast, lab__shape_reshape, lab__shape_transpose, lab__shape_convert,
    lab__shape_concatenate, lab__shape_slice, lab__shape_pad, lab__shape_reverse;

typedef struct lab_op_entry {
    const char *name;
    int code, arity;
    int types; /* types that operand 0 may have */
    lab_shape_rule *shape;
} lab_op_entry;

/* The entry of an op; NULL when it is outside of the list. */
const lab_op_entry *lab__op(lab_op op);

/* Checks everything about the site's node, provided that the `below` nodes before it are right, and
   computes its shape; compare: which has to be the node's own. */
ag_status lab__shape(lab_shape *shape, const lab_site *site, int below, int compare);

/* Parts of it: the reducer is one, */
ag_status lab__check_reducer(const lab_site *site);
/* and axes dims[0..n_dims) of a value of the rank: each in range, none twice, ascending when asked.
 */
ag_status lab__check_axes(const lab_site *site, int rank, int ascending);

/* Appends the node with its computed shape. `where` as in lab_site; NULL: the name of the program.
   When compare is set, the node's shape has to be the computed one. */
int lab__append(lab_program *p, const lab_node *node, const char *where, int compare);

/* "f32[64,256]" */
typedef struct lab_shape_text {
    char text[96];
} lab_shape_text;
lab_shape_text lab__shape_text(lab_shape shape);

/* 1 when two shapes have the same type and sizes. */
int lab__same_shape(lab_shape a, lab_shape b);
int lab__same_sizes(lab_shape a, lab_shape b);

/* 1 for a letter, digit or _, followed by any of these and . - , shorter than LAB_NAME bytes.
   lab__in_name: for all of these characters. */
int lab__is_name(const char *name);
int lab__in_name(char c);

#endif
