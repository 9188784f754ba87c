/* SPDX-License-Identifier: MIT */
/* A signal in any step of a run, for test programs that are linked with -Wl,--wrap=ag_adamw_step
   (tests/CMakeLists.txt). */
#ifndef TEST_PROGRAM_STOP_H
#define TEST_PROGRAM_STOP_H

/* The children that are started from here on get the signal in this step, counted from 1; 0: none.
 */
void program_stop_in(int step, int signal);

#endif
