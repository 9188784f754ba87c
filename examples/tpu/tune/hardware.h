/* SPDX-License-Identifier: MIT */
/* Measuring for the autotuner: the lab's executor and meter. */
#ifndef TPU_TUNE_HARDWARE_H
#define TPU_TUNE_HARDWARE_H

#include "examples/lab/collect/configs.h"

typedef struct tune_hardware {
    lab_meter meter; /* meter.stopped: the last call was given up, and its numbers mean nothing */
    int core;        /* to measure on; -1: the last one */
    int free;        /* 1: the system does not let the program stay on a core */
} tune_hardware;

/* minutes: the time after which measuring is given up; 0: never. A signal does the same. Fails:
   AG_EUSE (a core that does not exist). */
ag_status tune_hardware_open(tune_hardware *h, int core, double minutes, ag_failure *why);
void tune_hardware_close(tune_hardware *h);

/* Measures configurations which[0..count-1] in turn (NULL: all); *stop is set when the time is up
   or a signal came. The thread is bound to the core only while it measures; threads that compute
   predictions are not. */
ag_status tune_hardware_measure(tune_hardware *h, double *ns, lab_configs *configs,
                                const int *which, int count, int *stop, ag_failure *why);

#endif
