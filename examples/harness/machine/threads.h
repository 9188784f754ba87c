/* SPDX-License-Identifier: MIT */
/* Systems that refuse to start threads, and threads that spin while they wait. */
#ifndef AG_HARNESS_THREADS_H
#define AG_HARNESS_THREADS_H

#include "examples/harness/harness.h"

/* Starts the number of threads given by --threads, else OMP_NUM_THREADS, else the machine. If the
   system gives fewer, the rest of the program uses these (ag_threads), and a warning says so. */
void harness_threads_start(int threads);

/* The number of threads, at most `wanted`, that can be had in addition to the existing ones, the
   caller's counted; for libraries with threads of their own, which end the program when they get
   fewer than they were told. */
int harness_threads_to_be_had(int wanted);

/* Must come first in main. The threads of XGBoost are OpenMP's, which wait by spinning; with other
   programs on the same processors that takes ten times as long. How they wait is read from the
   environment before main begins, so this starts the program again, with OMP_WAIT_POLICY=passive.
   It returns when OMP_WAIT_POLICY or GOMP_SPINCOUNT is set already, in a build without XGBoost, and
   when the program cannot be started again. */
void harness_wait_asleep(char **argv);

#endif
