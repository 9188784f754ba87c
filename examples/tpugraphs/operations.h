/* SPDX-License-Identifier: MIT */
/* The meaning of a node: what its op code and its 140 features say of its shape, its window and the
   axes that it joins. Op codes are those of LEARNED_HLO_OPCODE_LIST (tpu_graphs, hlo_opcode.h). No
   feature is trusted: a number that makes no sense is read as absent. */
#ifndef TPUGRAPHS_OPERATIONS_H
#define TPUGRAPHS_OPERATIONS_H

#include "examples/tpugraphs/space.h"

/* Op codes that are treated by name. */
enum {
    TPUGRAPHS_BITCAST = 11,
    TPUGRAPHS_BROADCAST = 13,
    TPUGRAPHS_CLAMP = 17,
    TPUGRAPHS_CONCATENATE = 22,
    TPUGRAPHS_CONSTANT = 24,
    TPUGRAPHS_CONVOLUTION = 26,
    TPUGRAPHS_COPY = 27,
    TPUGRAPHS_DOT = 34,
    TPUGRAPHS_DYNAMIC_SLICE = 35,
    TPUGRAPHS_FUSED = 41, /* a node that calls a fused computation */
    TPUGRAPHS_GATHER = 42,
    TPUGRAPHS_IOTA = 48,
    TPUGRAPHS_PAD = 62,
    TPUGRAPHS_PARAMETER = 63,
    TPUGRAPHS_REDUCE = 70,
    TPUGRAPHS_REDUCE_WINDOW = 72,
    TPUGRAPHS_RESHAPE = 75,
    TPUGRAPHS_REVERSE = 76,
    TPUGRAPHS_SLICE = 92,
    TPUGRAPHS_TRANSPOSE = 98,
    TPUGRAPHS_TUPLE = 100
};

/* The first feature of each group, in the order of featurizers.h. */
enum {
    TPUGRAPHS_IS_ROOT = 0,
    TPUGRAPHS_TYPE = 2, /* one of 19 is 1 */
    TPUGRAPHS_SIZES = 21,
    TPUGRAPHS_ELEMENTS = 28,
    TPUGRAPHS_PARAMETER_NUMBER = 30,
    TPUGRAPHS_DIMS = 31,
    TPUGRAPHS_WINDOW_SIZE = 37,
    TPUGRAPHS_WINDOW_STRIDE = 45,
    TPUGRAPHS_WINDOW_LOW = 53,
    TPUGRAPHS_WINDOW_HIGH = 61,
    TPUGRAPHS_WINDOW_DILATION = 69,
    TPUGRAPHS_BASE_DILATION = 77,
    TPUGRAPHS_REVERSED = 85,
    TPUGRAPHS_IN_BATCH = 93,
    TPUGRAPHS_KERNEL_IN = 99,
    TPUGRAPHS_OUT_BATCH = 105,
    TPUGRAPHS_GROUPS = 107,
    TPUGRAPHS_SLICE_START = 109,
    TPUGRAPHS_SLICE_STRIDE = 113,
    TPUGRAPHS_SLICE_LIMIT = 117,
    TPUGRAPHS_DYNAMIC_SIZES = 121,
    TPUGRAPHS_PAD_LOW = 125,
    TPUGRAPHS_PAD_HIGH = 129,
    TPUGRAPHS_LAYOUT = 134
};

/* Axes, 6 at most; sizes after the last are 1. */
typedef struct tpugraphs_shape {
    int rank, size[TPUGRAPHS_AXES];
} tpugraphs_shape;

tpugraphs_shape tpugraphs_shape_of(const float *feature);
/* A feature as a number, 10^9 at most. */
int tpugraphs_whole(float feature);
/* 1 if the list names axes below `rank`, each once. */
int tpugraphs_are_axes(const int *axis, int count, int rank);

/* Reads six windows, those after the last of size 1; returns their number, which is that of the
   leading sizes above 0. */
int tpugraphs_windows_read(tpugraphs_window window[TPUGRAPHS_AXES], const float *feature);

/* 1 if the axes give a result of this shape. */
int tpugraphs_dot_fits(const tpugraphs_dot_axes *dot, const tpugraphs_shape *out,
                       const tpugraphs_shape *left, const tpugraphs_shape *right);
/* All axes that fit, of which the last of the left operand and the first of the right come first.
   Returns their number, `most` at most. */
int tpugraphs_dot_readings(tpugraphs_dot_axes *dot, int most, const tpugraphs_shape *out,
                           const tpugraphs_shape *left, const tpugraphs_shape *right);

/* Reads the axes of a convolution whose result has this rank; 0: the features name none. */
int tpugraphs_conv_read(tpugraphs_conv_axes *conv, const float *feature, int rank);
/* 1 if ranks and features of these operands fit. */
int tpugraphs_conv_fits(const tpugraphs_conv_axes *conv, const tpugraphs_shape *out,
                        const tpugraphs_shape *in, const tpugraphs_shape *kernel);

#endif
