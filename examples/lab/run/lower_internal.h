/* SPDX-License-Identifier: MIT */
/* Declarations that the files of lowering share. */
#ifndef LAB_LOWER_INTERNAL_H
#define LAB_LOWER_INTERNAL_H

#include "examples/lab/run/lower.h"

typedef struct lab__lowering {
    const lab_program *p;
    const lab_node *node;
    const lab_view *out, *in;
    const lab_part *part;
    lab_piece *pieces;
    int n; /* pieces so far */
} lab__lowering;

/* The next piece, without loops and inputs. */
lab_piece *lab__piece(lab__lowering *l, nest_kind kind, lab_op op);

/* The piece starts at the first element of the output's box. */
void lab__output(lab_piece *piece, const lab__lowering *l);

/* Along an axis of operand k, input k of the piece starts at `index`. */
void lab__input(lab_piece *piece, const lab__lowering *l, int k, int axis, int64_t index);

/* Reduce, reduce-window, dot and convolution. */
void lab__lower_sum(lab__lowering *l);

#endif
