/* SPDX-License-Identifier: MIT */
/* The order in which a nest runs its loops, planned from sizes and strides. The lab runs its nests
   in this order (examples/lab/nest), so a model that plans loops in the same way knows what was
   measured. */
#ifndef TPUGRAPHS_LOOPS_H
#define TPUGRAPHS_LOOPS_H

enum { TPUGRAPHS_LOOP_INPUTS = 3 };

/* A loop, and by how many elements an iteration moves the output and the inputs. */
typedef struct tpugraphs_loop {
    double size, out, in[TPUGRAPHS_LOOP_INPUTS];
    int reduce; /* 1: of a reduction, which does not move the output */
    int window; /* not 0: the loop is one of the two of a window that leaves the tensor, numbered
                   from 1. Iterations outside are left out, so one of the two cuts the range of the
                   other */
} tpugraphs_loop;

/* How loops are arranged (`lab layout --plan`). */
typedef enum tpugraphs_rule {
    TPUGRAPHS_BY_STRIDES, /* by the output's strides; innermost is the row, or a sum that is
                             contiguous */
    TPUGRAPHS_SUM_INSIDE, /* the same, but the last sum that no window cuts is inside of the row */
    TPUGRAPHS_AS_GIVEN    /* in the order given, but sums that windows cut before other sums */
} tpugraphs_rule;

/* Puts n loops in order, outermost first: those of the output by its strides, then those of the
   reduction by the strides of input 0, after windows that are cut; loops of one iteration, which
   only windows need, are outside. Neighbours that run through memory like one are merged. The last
   loop of the output is the row, the last one of the reduction runs next to it: inside of it
   (*folds = 1) where inputs are contiguous along the reduction and not along the row. A reduction
   whose loops are all cut together with the row ends in a loop of one iteration, for which `loop`
   has room. Returns the number of loops. */
int tpugraphs_plan_loops(tpugraphs_loop *loop, int n, tpugraphs_rule rule, int *folds);

/* How many tensors the loop moves through by a stride other than 0 and 1. */
int tpugraphs_loop_jumps(const tpugraphs_loop *loop);

/* The share of a loop of this size that full vectors of `vector` elements leave over; 0 for a size
   that makes no sense. */
float tpugraphs_left_over(double size, double vector);

#endif
