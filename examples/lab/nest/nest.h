/* SPDX-License-Identifier: MIT */
/* One strided loop nest, the form in which every operation of the lab runs. Describe a nest first:
   its kind, op, type and rule, its loops (nest_loop_add) and its windows. nest_plan, called once,
   orders and merges the loops and chooses the inner loop. nest_run then runs the nest any number of
   times, on buffers of the same strides. */
#ifndef LAB_NEST_H
#define LAB_NEST_H

#include "examples/lab/program/program.h"
#include "examples/tpugraphs/loops.h"

enum { NEST_LOOPS = 12, NEST_INPUTS = 3, NEST_WINDOWS = LAB_RANK };

typedef enum nest_kind {
    NEST_MAP, /* out = op(in 0, in 1, in 2): any elementwise op, LAB_COPY for moves */
    NEST_DOT, /* out = sum over the reduction loops of in 0 * in 1 */
    NEST_SUM, /* out = sum of in 0 */
    NEST_MAX  /* out = largest of in 0 (of no element: minus infinity) */
} nest_kind;

/* A planned loop, and the strides by which it moves the output and each input, in floats and of
   either sign. */
typedef struct nest_loop {
    int64_t size;
    int64_t out, in[NEST_INPUTS];
    int reduce;
    /* the window of which this loop is the first counter, and the window with bounds that cut the
       range of this loop; -1: none */
    int opens, closes;
} nest_loop;

/* The bounds of input 0: index = offset + step[0] * counter of loop[0] + step[1] * counter of
   loop[1]; iterations with 0 <= index < limit and index % dilation == 0 count and read input 0 at
   stride * (index / dilation), the others are skipped. loop[0] is a free loop (of the output),
   loop[1] a reduction loop; both have in[0] = 0 and steps that are not 0. */
typedef struct nest_window {
    int loop[2];
    int64_t step[2], offset, limit, dilation, stride;
} nest_window;

/* The two innermost loops: n along the output, r along a reduction (1: none). */
typedef struct nest_tail {
    int64_t n, out, in[NEST_INPUTS];
    int64_t r, along[NEST_INPUTS];
} nest_tail;

typedef void (*nest_body)(float *out, const float *const *in, const nest_tail *tail);

typedef struct nest {
    nest_kind kind;
    lab_op op;     /* of a map */
    lab_type type; /* the type that LAB_CONVERT converts to */
    tpugraphs_rule rule;
    int accumulate; /* 1: a reduction adds to what the output holds instead of replacing it */
    int n_given, n_windows;
    nest_window window[NEST_WINDOWS];
    int64_t out_at, in_at[NEST_INPUTS]; /* first element, from the pointers given to nest_run */
    /* written by nest_plan */
    int depth, start; /* loops outside of the tail; the number of those outside of all reductions */
    nest_loop n, r;   /* the loops of the tail */
    nest_body body;
    nest_loop loop[NEST_LOOPS];
    tpugraphs_loop given[NEST_LOOPS]; /* the loops that nest_plan plans */
} nest;

/* Appends a loop, in any order, NEST_LOOPS at most; windows name loops by their numbers in this
   order. reduce: 1 for a reduction loop; in other loops out is 0 only if size is 1. Without loops a
   nest computes one element. */
void nest_loop_add(nest *nest, int64_t size, int reduce, int64_t out, int64_t in0, int64_t in1,
                   int64_t in2);

/* Appends a loop for each axis, with these sizes, and these strides of the output and of the first
   inputs. */
void nest_axes_add(nest *nest, int rank, const int *size, const int64_t *out,
                   const int64_t *const *in, int inputs);

/* A dot, convolution, reduce or reduce-window, or a part of one. */
typedef struct nest_reduction {
    const lab_node *node;
    const tpugraphs_space *space;
    const int *out, *sum;        /* elements along the axes of the result and of the reduction */
    const int64_t *to, *from[2]; /* strides of the result and of the operands */
    int groups, each;            /* of the features that a convolution makes */
    const int *bounds;           /* sizes of operand 0, which cut windows; NULL: nothing does */
} nest_reduction;
void nest_reduction_add(nest *nest, const nest_reduction *r);

/* The kind of nest that an op runs as. */
nest_kind nest_node_kind(const lab_node *node);

/* Orders the loops by the rule (TPUGRAPHS_BY_STRIDES: by the output's strides, the most minor
   innermost; a reduction loop is innermost instead where the inputs are contiguous along it and not
   along the output), merges loops where possible and turns windows that are never cut into strides.
   A nest is planned once; describe it again to change sizes, strides or a window's offset. Takes a
   microsecond or two at most. */
void nest_plan(nest *nest);

/* Runs a planned nest; only the first inputs that the kind (or the map's op) reads are touched.
   out overlaps no input. */
void nest_run(const nest *nest, float *out, const float *const in[NEST_INPUTS]);

/* ---- inner loops: chosen by nest_plan; each looks at the strides itself ---- */

nest_body nest_map_body(lab_op op, lab_type type);
/* rows: 1 when the loop along the output is inside, 0 when the reduction is. */
nest_body nest_reduce_body(nest_kind kind, int rows);

#endif
