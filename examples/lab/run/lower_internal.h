/* SPDX-License-Identifier: MIT */
/* Declarations that the files of lowering share. */
#ifndef LAB_LOWER_INTERNAL_H
#define LAB_LOWER_INTERNAL_H

#include "examples/lab/run/lower.h"

typedef struct lab__lowering {
    const lab_program *p;
    const lab_node *node;
    const lab_view *out, *in;
    tpugraphs_rule rule;
    lab_piece *pieces;
    int n; /* pieces so far */
} lab__lowering;

/* The next piece, without loops and inputs. */
lab_piece *lab__piece(lab__lowering *l, nest_kind kind, lab_op op);

/* Reduce, reduce-window, dot and convolution. */
void lab__lower_sum(lab__lowering *l);

#endif
