/* SPDX-License-Identifier: MIT */
/* Threads that the system may refuse. */
#ifndef AG_HARNESS_THREADS_H
#define AG_HARNESS_THREADS_H

#include "examples/harness/harness.h"

/* Starts the threads that --threads, else OMP_NUM_THREADS, else the machine asks for. Where the
   system gives fewer the rest of the program takes these (ag_threads), and a warning says so. */
void harness_threads_start(int threads);

/* How many threads, at most `wanted`, can be had beside those that are there, the caller's counted;
   for libraries with threads of their own, which end the program when they get fewer than they
   were told. */
int harness_threads_to_be_had(int wanted);

#endif
