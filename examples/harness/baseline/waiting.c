/* SPDX-License-Identifier: MIT */
/* Keeps the threads of XGBoost from spinning while they wait. */
#define _GNU_SOURCE /* setenv, execv */
#include "examples/harness/baseline/boosting.h"

#include <stdlib.h>
#include <unistd.h>

void harness_wait_asleep(char **argv)
{
    if (!harness_boosting_built() || getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
    if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0) execv("/proc/self/exe", argv);
}
