/* SPDX-License-Identifier: MIT */
/* The analytical baseline: a roofline, as the compiler's own model (Kaufman et al., sections 2.3,
   5.2 and appendix A): the time of a kernel is the larger of computing and data transfer, plus an
   overhead. The cost of a unit of each is fitted on the training kernels. */
#ifndef TPU_ANALYTICAL_H
#define TPU_ANALYTICAL_H

#include "examples/tpu/analytic/analysis.h"
#include "examples/tpu/analytic/tile_work.h"

/* ---- fusion ---- */

/* time = scale[type] max((read + written) / bandwidth, flops / peak + special / rate) + overhead,
   all in ns, bytes and operations per ns. */
typedef struct tpu_roofline {
    double bandwidth, peak, special, overhead;
    double scale[TPU_TYPES];
    double error; /* mean |predicted - measured| / measured over the training kernels */
} tpu_roofline;

/* Fits all of it to the known run times of kernels, by the mean absolute percentage error that it
   is measured by: scale[type] is the median of measured over modelled, each weighted by modelled
   over measured, which minimises that error. Types without kernels have scale 1. Fails: AG_EUSE (no
   kernel with a run time). */
ag_status tpu_roofline_fit(tpu_roofline *roofline, const tpu_kernel *const *train, int count,
                           ag_failure *why);
/* The failure of a fit without run times. */
ag_status tpu_no_runtimes(int kernels, ag_failure *why);
double tpu_roofline_time(const tpu_roofline *roofline, const tpu_static *kernel);

/* ---- from counts ---- */

/* time = max(computing, transfer) + overhead, where each is a sum of counts (tpu_work) times the ns
   per count; computing + transfer + overhead where the machine does not overlap the two. */
typedef struct tpu_counted {
    double cost[TPU_WORKS];
    double scale[TPU_TYPES]; /* of all but the overhead; fusion alone, else 1 */
    int overlap;             /* 1: the maximum, 0: the sum */
    double error;            /* of the fit, as the fitting function says */
} tpu_counted;

double tpu_counted_time(const tpu_counted *counted, const double work[TPU_WORKS], tpu_type type);

/* The counts that a fit uses. TPU_COUNT_TRAFFIC: operations, bytes (again in each step that reads
   them), tiles and steps, and the maximum: a roofline. TPU_COUNT_LOOPS: all of them, and maximum or
   sum, whichever fits better. */
typedef enum tpu_counts { TPU_COUNT_TRAFFIC, TPU_COUNT_LOOPS } tpu_counts;

/* Tile: fits the costs to the log run times within kernels. A factor per kernel is free, since
   tiles of different kernels are never compared, and all kernels count alike. Reads at most
   most_rows configurations (and one more of each kernel), evenly from all kernels. error: root of
   the mean square of log(predicted / measured). Fails: AG_EUSE (no kernel with two different run
   times). */
ag_status tpu_counted_fit_tiles(tpu_counted *counted, tpu_counts counts,
                                const tpu_kernel *const *train, int count, int most_rows,
                                ag_failure *why);
/* Fusion: each kernel is counted as a single tile, and each type has its scale. Reads at most
   most_rows kernels, evenly. error: mean |predicted - measured| / measured. Fails: AG_EUSE (no
   kernel with a run time). */
ag_status tpu_counted_fit_kernels(tpu_counted *counted, tpu_counts counts,
                                  const tpu_kernel *const *train, int count, int most_rows,
                                  ag_failure *why);
void tpu_counted_whole(double work[TPU_WORKS], tpu_type *type, const tpu_kernel *kernel);

#endif
