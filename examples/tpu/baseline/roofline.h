/* SPDX-License-Identifier: MIT */
/* The analytical baseline is a roofline, like the compiler's own model (Kaufman et al., sections
   2.3, 5.2 and appendix A). The time of a kernel is that of computing or of data transfer,
   whichever is longer, plus an overhead. The costs of a byte, of an operation and of a step are
   fitted to the training kernels. */
#ifndef TPU_ROOFLINE_H
#define TPU_ROOFLINE_H

#include "examples/tpu/data/hlo.h"

/* The work and traffic of a kernel with one of its tiles. bytes: those of its operands and result;
   an operand of a product counts for each tile along the axes that it lacks. steps: tiles times
   blocks of the last reduction; 1 without a tile. */
typedef struct tpu_load {
    double flops, special, bytes, steps;
    tpu_type type;
} tpu_load;

/* load [kernel->configs]. */
void tpu_loads(tpu_load *load, const tpu_kernel *kernel);

/* time = scale[type] max(bytes / bandwidth, flops / peak + special / rate) + overhead steps, in ns,
   bytes and operations per ns. Tile: all scales are 1, and only times of one kernel compare. */
typedef struct tpu_roofline {
    double bandwidth, peak, special, overhead;
    double scale[TPU_TYPES];
    double error; /* fusion: mean |predicted - measured| / measured over the training kernels; tile:
                     root of the mean square of ln(predicted / measured) within them */
} tpu_roofline;

/* Fits the roofline to known run times. Fusion: by the mean absolute percentage error; scale[type]
   is the median of measured over modelled, each weighted by modelled over measured, which minimises
   that error. Types without kernels have scale 1. Tile: to the log run times within kernels, of at
   most 4,096 configurations, evenly from all kernels (and one more of each). For at least one
   kernel tpu_kernel_teaches must be 1. */
void tpu_roofline_fit(tpu_roofline *roofline, const tpu_data *train);
double tpu_roofline_time(const tpu_roofline *roofline, const tpu_load *load);

#endif
