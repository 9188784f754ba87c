/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/train.h"

ag_status tgraph_eval_command(harness_call *call, ag_failure *why)
{
    (void)call;
    return ag_fail(why, AG_EUSE, "not yet");
}
