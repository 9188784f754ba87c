/* SPDX-License-Identifier: MIT */
/* The iteration space of an op that reduces. Each of its indices runs along an axis of the result
   or of the reduction, and moves along an axis of the operands. The loops of a nest follow from it,
   and so does the part of an operand that a part of the result needs. The lab runs its ops by it
   (examples/lab/run, examples/lab/tile), and the models of loop nests read files by it. */
#ifndef TPUGRAPHS_SPACE_H
#define TPUGRAPHS_SPACE_H

enum {
    TPUGRAPHS_AXES = 6,   /* most axes of an array, as features count them */
    TPUGRAPHS_SPATIAL = 4 /* most spatial axes of a convolution */
};

/* Values are given directly: sizes, strides and dilations are at least 1. Element o of the output
   reads o * stride + k * dilation - low for k in 0..size-1 (size - 1 - k of the kernel when
   reversed) of the input, with elements base_dilation apart; positions outside or between them
   are zero, or minus infinity of a maximum. */
typedef struct tpugraphs_window {
    int size, stride, low, high; /* low, high: padding; below 0 the input is cropped */
    int dilation, base_dilation; /* of the window, of the input */
    int reversed;                /* only of a convolution */
} tpugraphs_window;

/* Batch axes come first in both operands and in the result; then the free axes of the left operand,
   then those of the right. One axis of each is contracted. */
typedef struct tpugraphs_dot_axes {
    int batch;       /* number of batch axes */
    int left, right; /* contracted axis of operand 0 and of operand 1 */
} tpugraphs_dot_axes;

/* The axes of input (operand 0), kernel (operand 1) and output. */
typedef struct tpugraphs_conv_axes {
    int spatial; /* number of spatial axes */
    int in_batch, in_feature, in_spatial[TPUGRAPHS_SPATIAL];
    int kernel_in, kernel_out, kernel_spatial[TPUGRAPHS_SPATIAL];
    int out_batch, out_feature, out_spatial[TPUGRAPHS_SPATIAL];
    int groups; /* feature_group_count */
} tpugraphs_conv_axes;

typedef struct tpugraphs_index {
    int sum;     /* 1: it runs along an axis of the reduction, 0: of the result */
    int axis;    /* which one. Axes of a reduction: of a dot the contracted one; of a convolution
                    those of the window, then the features of a group; of a reduce dims[i]; of a
                    reduce-window those of the window */
    int in[2];   /* axis of each operand, -1: it does not move along one */
    int step;    /* elements of operand 0 that it moves by */
    int window;  /* 1 + the number of its window, 0: none; the two indices of a window follow each
                    other, that of the result first */
    int split;   /* 1: the features that a convolution makes. They run group by group, and
                    each group moves in[0] by the features that it reads */
    double size; /* of an axis of the reduction */
} tpugraphs_index;

typedef struct tpugraphs_space {
    int n;
    tpugraphs_index index[2 * TPUGRAPHS_AXES];
} tpugraphs_space;

/* size, rank: of operand 0; kernel: the sizes of operand 1. */
tpugraphs_space tpugraphs_dot_space(tpugraphs_dot_axes dot, const int *size, int rank,
                                    int right_rank);
tpugraphs_space tpugraphs_reduce_space(const int *dims, int n_dims, const int *size, int rank);
tpugraphs_space tpugraphs_window_space(const tpugraphs_window *window, int rank);
tpugraphs_space tpugraphs_conv_space(const tpugraphs_conv_axes *conv,
                                     const tpugraphs_window *window, const int *kernel);

/* The elements of operand 0, counted with borders and gaps, that n elements of the result read with
   `taps` elements of the window. */
static inline double tpugraphs_covered(const tpugraphs_window *w, double n, double taps)
{
    return (n - 1) * w->stride + (taps - 1) * w->dilation + 1;
}
/* 1 if n elements of the result read borders or gaps of operand 0, which has `size` elements. */
static inline int tpugraphs_leaves(const tpugraphs_window *w, int n, int size)
{
    return w->low != 0 || w->base_dilation != 1 || tpugraphs_covered(w, n, w->size) > size;
}

#endif
