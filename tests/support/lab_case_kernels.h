/* SPDX-License-Identifier: MIT */
/* Kernels to be cut in tiles, and running them, for the tests of the lab. */
#ifndef LAB_CASE_KERNELS_H
#define LAB_CASE_KERNELS_H

#include "examples/lab/run/run_internal.h"

/* Kernels with everything that a tile has to follow: 0 .. LAB_CASE_KERNELS-1; 0: max(x w + b, 0) of
   [37,29] and [29,45]. */
enum { LAB_CASE_KERNELS = 11 };
void lab_case_kernel(lab_program *p, int which);

/* Compiles, spoils the output, runs. */
void lab_case_tile(lab_run *run, const int *tile);
float **lab_case_reference(const lab_program *p); /* of each node; freed by lab_case_free */

double lab_case_size(const float *x, int64_t n); /* root of the mean square */

/* Fails where a is not b to 2e-5 of its size. */
void lab_case_compare(const float *a, const float *b, const lab_program *p, int node,
                      const char *what);

#endif
