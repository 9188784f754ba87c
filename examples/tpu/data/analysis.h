/* SPDX-License-Identifier: MIT */
/* Static performance features: quantities that a compiler's static analysis gives before a kernel
   runs, here only from its node features and op codes. Source: Kaufman et al., section 3.1;
   counted as in XLA's HloCostAnalysis, except that a convolution's products in the padding count,
   too. */
#ifndef TPU_ANALYSIS_H
#define TPU_ANALYSIS_H

#include "examples/tpu/data/hlo.h"

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

/* flops: an elementwise op 1 per element, dot and convolution 2 per product, a reduce 1 per element
   that it removes. read: bytes of all parameters; of a parameter that only slices and gathers read,
   the bytes that they read. written: bytes of the result. special: elements that a special function
   makes (exponential, log, power, division, roots...), which are no flops. */
typedef struct tpu_static {
    double flops, read, written, special;
    tpu_type type;
} tpu_static;

void tpu_analyse(tpu_static *out, const tpu_kernel *kernel);
/* flops, bytes read, bytes written, special, as an array for the model's inputs. */
void tpu_static_features(float out[TPU_STATIC], const tpu_kernel *kernel);

#endif
