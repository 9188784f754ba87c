/* SPDX-License-Identifier: MIT */
/* A kernel as a program, read from its 140 features and op codes (examples/tpugraphs/operations.h):
   shapes, operands, the space of what it reduces, static performance features. */
#ifndef TPU_HLO_H
#define TPU_HLO_H

#include "examples/tpu/data/data.h"
#include "examples/tpugraphs/operations.h"

/* The work of an elementwise op per element: none that counts, arithmetic, or a special function
   (exponential, logarithm, root, power, division, trigonometry). */
typedef enum tpu_elementwise { TPU_MOVES, TPU_ARITHMETIC, TPU_SPECIAL } tpu_elementwise;
tpu_elementwise tpu_elementwise_of(int opcode);

/* A kernel, with the operands of each node. */
typedef struct tpu_hlo {
    const tpu_kernel *kernel;
    tpugraphs_operation *operation; /* [nodes] with the operands of dots and convolutions, in their
                     order where it is known, and the largest of a reduce or a reduce-window */
    int *start;                     /* [nodes + 1] */
    int *operand; /* [edges] those of node u: operand[start[u]] to [start[u + 1] - 1], as in the
                     file, including the computations that a node calls */
    char *called; /* [nodes] 1: of a computation that another node calls (a fusion, a reducer) */
    int root;     /* the kernel's result; that of a fusion is in the computation that it calls */
    ag_arena *memory; /* of the arrays, until the next kernel is opened */
} tpu_hlo;

/* Start from {0}; opened again for another kernel it reuses its memory. */
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
int tpu_hlo_is_tuple(const tpu_hlo *hlo, int u);
/* Number of axes, 6 at most, and their sizes, 1 after the last. */
int tpu_hlo_shape(double size[TPUGRAPHS_AXES], const tpu_hlo *hlo, int u);
double tpu_hlo_elements(const tpu_hlo *hlo, int u);
double tpu_hlo_bytes(const tpu_hlo *hlo, int u);   /* 0: a tuple, a token */
int tpu_hlo_dim(const tpu_hlo *hlo, int u, int i); /* feature `dimensions`; -1: i is none of 0..5 */

/* ---- reductions ---- */

/* In how many ways the shapes of a dot can be read, 4 at most; 1: the file names its axes, or no
   single contracted axis fits; 0: it has no operands. */
int tpu_hlo_readings(const tpu_hlo *hlo, int u);
/* How many products, or elements of the operand, a reduction takes in for an element of its result,
   with those in the padding; 1: it is not a reduction. For a dot with axes that do not fit, the
   number follows from the numbers of elements. */
double tpu_hlo_taken_in(const tpu_hlo *hlo, int u);

/* The iteration space of a reduction. Of a dot whose axes do not follow from the shapes, the space
   is no more than the contracted index, which moves along no operand. Returns the node; NULL: it
   reduces nothing, or operands that fit are missing. */
const tpugraphs_operation *tpu_hlo_sum(tpugraphs_space *space, const tpu_hlo *hlo, int u);

/* ---- static performance features (analysis.c) ---- */

/* The kinds of kernels that have a coefficient each in the analytical model. */
typedef enum tpu_type {
    TPU_TYPE_CONVOLUTION,
    TPU_TYPE_DOT,
    TPU_TYPE_REDUCE,
    TPU_TYPE_OTHER,
    TPU_TYPES
} tpu_type;
/* The kind of a node, of which that of the kernel is the first. */
tpu_type tpu_type_of(int opcode);

/* Quantities that a compiler's static analysis gives before a kernel runs. Source: Kaufman et al.,
   section 3.1; counted as in XLA's HloCostAnalysis, except that a convolution's products in the
   padding count, too. flops: an elementwise op 1 per element, dot and convolution 2 per product, a
   reduce 1 per element that it removes. read: bytes of all parameters; of a parameter that only
   slices and gathers read, the bytes that they read. written: bytes of the result. special:
   elements that a special function makes (exponential, log, power, division, roots...), which are
   no flops. */
typedef struct tpu_static {
    double flops, read, written, special;
    tpu_type type;
} tpu_static;

void tpu_analyse(tpu_static *out, const tpu_kernel *kernel);
/* flops, bytes read, bytes written, special, as an array for the model's inputs. */
void tpu_static_features(float out[TPU_STATIC], const tpu_kernel *kernel);

#endif
