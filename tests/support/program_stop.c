/* SPDX-License-Identifier: MIT */
#include "program_stop.h"

#include "augur.h"

#include <signal.h>

static int stop_step, stop_signal;

void program_stop_in(int step, int signal)
{
    stop_step = step;
    stop_signal = signal;
}

/* The linker calls this for ag_adamw_step. */
ag_status __real_ag_adamw_step(ag_params *, const ag_adamw *, double, ag_failure *);
ag_status __wrap_ag_adamw_step(ag_params *params, const ag_adamw *options, double lr,
                               ag_failure *why);
ag_status __wrap_ag_adamw_step(ag_params *params, const ag_adamw *options, double lr,
                               ag_failure *why)
{
    if (stop_step && --stop_step == 0) raise(stop_signal);
    return __real_ag_adamw_step(params, options, lr, why);
}
