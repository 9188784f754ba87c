/* SPDX-License-Identifier: MIT */
/* Declarations that the files of a program share. */
#ifndef LAB_PROGRAM_INTERNAL_H
#define LAB_PROGRAM_INTERNAL_H

#include "examples/lab/program/program.h"

/* A node under examination. */
typedef struct lab_site {
    const lab_program *p; /* operands are found here */
    const lab_node *node;
    const char *where; /* "net.txt:12", which begins its sentences; NULL: they begin with the
                          program and the node */
    ag_failure *why;
} lab_site;

/* "WHERE: OP: ..." as a failure. */
ag_status lab__refuse(const lab_site *site, const char *format, ...) AG_PRINTF(2, 3);

/* The shape of operand k; its index has been checked. */
static inline lab_shape lab__operand(const lab_site *site, int k)
{
    return site->p->nodes[site->node->operand[k]].shape;
}

/* Makes the shape of a node of that of operand 0 (of its own, if it has none), after the number and
   types of its operands have been checked; or a failure. Parameters, constants, iota, broadcast,
   reshape and convert take from the node's own shape what the operands do not determine. */
typedef ag_status lab_shape_rule(lab_shape *shape, const lab_site *site);
lab_shape_rule lab__shape_same, lab__shape_compare; /* all that are elementwise, of one shape */
lab_shape_rule lab__shape_reduce, lab__shape_window, lab__shape_convolution, lab__shape_dot;

typedef struct lab_op_entry {
    const char *name;
    int code, arity; /* -1: any number */
    int types;       /* types that operand 0 may have, as a set */
    lab_shape_rule *shape;
} lab_op_entry;
extern const lab_op_entry lab__ops[LAB_OPS];

/* Checks the axes dims of a value of the rank: each in range, none twice, ascending when asked. */
ag_status lab__check_axes(const lab_site *site, int rank, int ascending);

/* Appends the node with its computed shape, which must equal the node's own if compare is set.
   `where` as in lab_site. */
int lab__append(lab_program *p, const lab_node *node, const char *where, int compare);

/* "f32[64,256]" */
typedef struct lab_shape_text {
    char text[96];
} lab_shape_text;
lab_shape_text lab__shape_text(lab_shape shape);

/* 1 when two shapes have the same type and sizes. */
int lab__same_shape(lab_shape a, lab_shape b);
int lab__same_sizes(lab_shape a, lab_shape b);

#endif
