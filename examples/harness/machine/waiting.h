/* SPDX-License-Identifier: MIT */
/* Makes the threads of other libraries sleep while they wait. */
#ifndef AG_HARNESS_WAITING_H
#define AG_HARNESS_WAITING_H

/* Must come first in main. The threads of XGBoost are OpenMP's, which wait by spinning; with other
   programs on the same processors that takes ten times as long. How they wait is read from the
   environment before main begins, so this starts the program again, with OMP_WAIT_POLICY=passive.
   It returns when OMP_WAIT_POLICY or GOMP_SPINCOUNT is set already, in a build without XGBoost, and
   when the program cannot be started again. */
void harness_wait_asleep(char **argv);

#endif
