/* SPDX-License-Identifier: MIT */
/* Systems that refuse to start threads. */
#ifndef AG_HARNESS_THREADS_H
#define AG_HARNESS_THREADS_H

/* Starts the number of threads given by --threads, else OMP_NUM_THREADS, else the machine. If the
   system gives fewer, the rest of the program uses these (ag_threads), and a warning says so. */
void harness_threads_start(int threads);

/* The number of threads, at most `wanted`, that can be had in addition to the existing ones, the
   caller's counted; for libraries with threads of their own, which end the program when they get
   fewer than they asked for. */
int harness_threads_to_be_had(int wanted);

#endif
