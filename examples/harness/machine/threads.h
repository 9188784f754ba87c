/* SPDX-License-Identifier: MIT */
/* Starts threads, also where the system grants fewer than a program asks for. */
#ifndef AG_HARNESS_THREADS_H
#define AG_HARNESS_THREADS_H

/* Starts the number of threads given by --threads, else OMP_NUM_THREADS, else the machine. If the
   system gives fewer, the rest of the program uses these (ag_threads), and a warning says so. */
void harness_threads_start(int threads);

/* How many threads, at most `wanted`, another library can have: the caller's, and those that the
   system still starts. For libraries that end the program if they get fewer threads than they asked
   for. */
int harness_threads_to_be_had(int wanted);

#endif
