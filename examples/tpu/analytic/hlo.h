/* SPDX-License-Identifier: MIT */
/* A kernel as a program, read from its 140 features and op codes: shapes, operands, the axes that a
   dot contracts, the moves of a window. No feature is trusted: a number that makes no sense is read
   as absent. */
#ifndef TPU_HLO_H
#define TPU_HLO_H

#include "examples/tpu/data/data.h"

enum { TPU_RANK = 6, TPU_SPATIAL = 4 };

/* Op codes of LEARNED_HLO_OPCODE_LIST (tpu_graphs, hlo_opcode.h) that are treated by name. */
enum {
    TPU_BITCAST = 11,
    TPU_BROADCAST = 13,
    TPU_CONCATENATE = 22,
    TPU_CONSTANT = 24,
    TPU_CONVERT = 25,
    TPU_CONVOLUTION = 26,
    TPU_COPY = 27,
    TPU_DOT = 34,
    TPU_DYNAMIC_SLICE = 35,
    TPU_FUSED = 41, /* a node that calls a fused computation */
    TPU_GATHER = 42,
    TPU_IOTA = 48,
    TPU_PAD = 62,
    TPU_PARAMETER = 63,
    TPU_REDUCE = 70,
    TPU_REDUCE_WINDOW = 72,
    TPU_RESHAPE = 75,
    TPU_REVERSE = 76,
    TPU_SLICE = 92,
    TPU_TRANSPOSE = 98,
    TPU_TUPLE = 100
};

/* The work of an elementwise op per element: none that counts, arithmetic, or a special function
   (exponential, logarithm, root, power, division, trigonometry). */
typedef enum tpu_elementwise { TPU_MOVES, TPU_ARITHMETIC, TPU_SPECIAL } tpu_elementwise;
tpu_elementwise tpu_elementwise_of(int opcode);

/* A kernel with its operands by consumer. */
typedef struct tpu_hlo {
    const tpu_kernel *kernel;
    int *start;   /* [nodes + 1] */
    int *operand; /* [edges] those of node u: operand[start[u]] to [start[u + 1] - 1], as in the
                     file, including the computations that a node calls */
    char *called; /* [nodes] 1: of a computation that another node calls (a fusion, a reducer) */
    int root;     /* the kernel's result; that of a fusion is in the computation that it calls */
} tpu_hlo;

void tpu_hlo_open(tpu_hlo *hlo, const tpu_kernel *kernel);
void tpu_hlo_close(tpu_hlo *hlo);
static inline int tpu_hlo_operands(const tpu_hlo *hlo, int u)
{
    return hlo->start[u + 1] - hlo->start[u];
}
/* The operand with the most elements (of a reduce: the reduced one, not the start value); -1: there
   is none. */
int tpu_hlo_largest(const tpu_hlo *hlo, int u);

/* ---- of one node ---- */

const float *tpu_hlo_row(const tpu_hlo *hlo, int u);
int tpu_hlo_is_root(const tpu_hlo *hlo, int u);
int tpu_hlo_is_tuple(const tpu_hlo *hlo, int u);
/* Number of axes, 6 at most, and their sizes, 1 after the last; size may be NULL. */
int tpu_hlo_shape(double size[TPU_RANK], const tpu_hlo *hlo, int u);
double tpu_hlo_elements(const tpu_hlo *hlo, int u);
double tpu_hlo_bytes(const tpu_hlo *hlo, int u);   /* 0: a tuple, a token */
int tpu_hlo_dim(const tpu_hlo *hlo, int u, int i); /* feature `dimensions`; -1: i is none of 0..5 */

/* One entry of each list that a window has. */
typedef struct tpu_window {
    double size, stride, dilation, base_dilation;
} tpu_window;
/* Number of axes of the window (leading sizes above 0), 6 at most. */
int tpu_hlo_windows(tpu_window window[TPU_RANK], const tpu_hlo *hlo, int u);

/* ---- products ---- */

/* Left and right are the operands; they contract the axes left_axis and right_axis, which follow
   `batch` leading axes. The lab's files name them. The features do not: then they follow from the
   shapes, up to the order of equal sizes, where the last axis of the left and the first of the
   right are taken. Axes are -1 when no single contracted axis fits the shapes; `inner`, the number
   of products per element, then follows from the numbers of elements alone. 0: no operands. */
typedef struct tpu_dot {
    int left, right, batch, left_axis, right_axis;
    double inner;
} tpu_dot;
int tpu_hlo_dot(tpu_dot *dot, const tpu_hlo *hlo, int u);
/* All readings that the shapes allow, the one above first; returns their number, `most` at most. */
int tpu_hlo_dots(tpu_dot *dot, int most, const tpu_hlo *hlo, int u);

/* Axes of a convolution. input or kernel is -1 when no operand fits. `inner`: products per element,
   including those in the padding. */
typedef struct tpu_convolution {
    int input, kernel, spatial;
    int in_batch, in_feature, in_spatial[TPU_SPATIAL];
    int kernel_in, kernel_out, kernel_spatial[TPU_SPATIAL];
    int out_batch, out_feature, out_spatial[TPU_SPATIAL];
    tpu_window window[TPU_RANK];
    double groups, inner;
} tpu_convolution;
int tpu_hlo_convolution(tpu_convolution *convolution, const tpu_hlo *hlo, int u);

#endif
