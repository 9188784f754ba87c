/* SPDX-License-Identifier: MIT */
/* Declarations that the files of a program share. */
#ifndef LAB_PROGRAM_INTERNAL_H
#define LAB_PROGRAM_INTERNAL_H

#include "examples/lab/program/program.h"

/* Element types as a set. */
enum { LAB_IN_F32 = 1, LAB_IN_S32 = 2, LAB_IN_PRED = 4, LAB_IN_ANY = 7 };

/* The rule by which the shape of an op follows from its operands. */
typedef enum lab_rule {
    LAB_RULE_OWN,    /* a rule of its own */
    LAB_RULE_SAME,   /* elementwise: operands and result of one shape */
    LAB_RULE_TO_PRED /* elementwise, but the result is pred */
} lab_rule;

typedef struct lab_op_entry {
    const char *name;
    int code, arity;
    int types; /* types that operand 0 may have */
    lab_rule rule;
} lab_op_entry;

/* The entry of an op; NULL when it is outside of the list. */
const lab_op_entry *lab__op(lab_op op);

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

/* Checks everything about the site's node, provided that the `below` nodes before it are right, and
   computes its shape. Parameters, constants, iota, broadcast, reshape and convert take the part
   that operands do not determine from the node's own shape. */
ag_status lab__shape(lab_shape *shape, const lab_site *site, int below);

/* Parts of lab__shape. */
ag_status lab__shape_window(lab_shape *shape, const lab_site *site); /* reduce-window */
ag_status lab__shape_convolution(lab_shape *shape, const lab_site *site);
ag_status lab__shape_dot(lab_shape *shape, const lab_site *site);
ag_status lab__shape_move(lab_shape *shape, const lab_site *site); /* ops that move elements */
/* Axes dims[0..n_dims) of a value of the rank: each in range, none twice, ascending when asked. */
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

/* 1 for a letter, digit or _, followed by any of these and . - , shorter than LAB_NAME bytes. */
int lab__is_name(const char *name);

#endif
