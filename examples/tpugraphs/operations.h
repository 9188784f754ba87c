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

/* Kinds of nodes that are not op codes: without operands, and elementwise. */
enum { TPUGRAPHS_LEAF = -1, TPUGRAPHS_MAP = 0 };

/* A node. Its reader says which operands count. */
typedef struct tpugraphs_operation {
    int kind; /* the op code of a broadcast, transpose, reshape, reduce, reduce-window, dot or
                 convolution, if the shapes fit; else TPUGRAPHS_MAP or TPUGRAPHS_LEAF */
    int opcode;
    int rank, size[TPUGRAPHS_AXES]; /* sizes after the last axis are 1 */
    int operands, operand[2];
    int dims[TPUGRAPHS_AXES];                /* as in the file */
    tpugraphs_window window[TPUGRAPHS_AXES]; /* those after the last are of size 1 */
    tpugraphs_dot_axes dot;
    tpugraphs_conv_axes conv;
    int known;           /* 1: the file names these axes */
    int config, varying; /* for the reader of layouts (examples/tgraph/rows/layout.h) */
} tpugraphs_operation;

/* Reads a node, still without operands, from its 140 features. */
tpugraphs_operation tpugraphs_operation_read(int opcode, const float *feature);
struct tpugraphs_dot;
/* Takes over the order of operands and the axes of dots that a file names (tpugraphs_dots_read),
   for nodes that have these operands. */
void tpugraphs_name_dots(tpugraphs_operation *all, const struct tpugraphs_dot *dot, int count);
/* Sets the kind of a node from the shapes of its operands, which are among `all`. ordered: the
   operands are in their order, each as often as it is used; else takes the order that fits, and one
   operand of a dot or a convolution for both. If the file does not name the axes of a dot, they are
   the first that fit. A dot, a convolution and TPUGRAPHS_MAP keep all operands, other kinds only
   the first, since their others are scalars. */
void tpugraphs_settle(tpugraphs_operation *node, const tpugraphs_operation *all, int ordered);
/* All axes of a dot that give a result of this shape; the last of the left operand and the first of
   the right come first. Returns their number, `most` at most. */
int tpugraphs_dot_readings(tpugraphs_dot_axes *dot, int most, const tpugraphs_operation *out,
                           const tpugraphs_operation *left, const tpugraphs_operation *right);
/* The iteration space of a node that reduces; right: only of a dot and a convolution. */
tpugraphs_space tpugraphs_space_of(const tpugraphs_operation *node, const tpugraphs_operation *left,
                                   const tpugraphs_operation *right);

#endif
