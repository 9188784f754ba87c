/* SPDX-License-Identifier: MIT */
/* How the threads of other libraries wait. */
#ifndef AG_HARNESS_WAITING_H
#define AG_HARNESS_WAITING_H

/* Comes first in main. The threads of XGBoost are OpenMP's, which wait by looking, and beside other
   programs that takes ten times as long; how they wait is read from the environment before main
   begins. So this starts the program again, with OMP_WAIT_POLICY=passive. It returns when
   OMP_WAIT_POLICY or GOMP_SPINCOUNT says something already, in a build without XGBoost, and when
   the program cannot be started again. */
void harness_wait_asleep(char **argv);

#endif
