/* SPDX-License-Identifier: MIT */
#include "tpu_lab.h"

#include "examples/harness/harness.h"
#include "examples/tune/tune.h"

void tpu_lab_kernel(tpu_kernel *k, const lab_program *p)
{
    tune_kernel_open(k, p);
    harness_free(k->reducer);
    harness_free(k->dot);
    k->name = "made";
    k->reducer = NULL;
    k->dot = NULL;
    k->dots = 0;
    tpu_static_features(k->analysis, k); /* as of a file without dots */
}
