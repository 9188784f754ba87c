/* SPDX-License-Identifier: MIT */
/* The order in which a nest runs its loops, as a compiler plans it from sizes and strides: that of
   the lab (examples/lab/nest), which measured the files that come with this project. */
#ifndef TPUGRAPHS_LOOPS_H
#define TPUGRAPHS_LOOPS_H

enum { TPUGRAPHS_LOOP_INPUTS = 3 };

/* A loop, and by how many elements an iteration moves the output and the inputs. */
typedef struct tpugraphs_loop {
    double size, out, in[TPUGRAPHS_LOOP_INPUTS];
    int reduce; /* 1: of a reduction, which does not move the output */
    int window; /* not 0: the loop is one of the two of a window that leaves the tensor, numbered
                   from 1. What is outside is left out, so one of them cuts the range of the other
                 */
} tpugraphs_loop;

/* Puts n loops of more than one iteration in order, outermost first: those of the output by its
   strides, then those of the reduction by the strides of input 0, after windows that are cut.
   Neighbours that run through memory like one are merged. The last loop of the output is the row,
   the last one of the reduction runs next to it: inside of it (*folds = 1) where inputs are
   contiguous along the reduction and not along the row. A reduction whose loops are all cut
   together with the row ends in a loop of one iteration, for which `loop` has room. Returns the
   number of loops. */
int tpugraphs_plan_loops(tpugraphs_loop *loop, int n, int *folds);

/* Tensors in which the loop moves by a stride other than 0 and 1. */
int tpugraphs_loop_jumps(const tpugraphs_loop *loop);

/* The share of a loop of this size that full vectors of so many elements leave over; 0 of a size
   that makes no sense. */
float tpugraphs_left_over(double size, double vector);

#endif
