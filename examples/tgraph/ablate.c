/* SPDX-License-Identifier: MIT */
/* A study: every variant with every seed, one table. */
#include "examples/tgraph/train.h"

ag_status tgraph_ablate_command(harness_call *call, ag_failure *why)
{
    (void)call;
    return ag_fail(why, AG_EUSE, "not yet");
}
