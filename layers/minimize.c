/* SPDX-License-Identifier: MIT */
#include "layers/layers.h"

ag_status ag_minimize(ag_tensor *loss, ag_params *params, const ag_adamw *options, double lr,
                      ag_failure *why)
{
    const ag_tape *tape = loss ? ag_tape_of(loss) : NULL;
    if (!tape) return ag_fail(why, AG_EUSE, "ag_minimize: loss is NULL; give it a tensor");
    ag_backward(loss);
    if (ag_failed(tape)) return ag_fail(why, ag_tape_status(tape), "%s", ag_error(tape));
    return ag_adamw_step(params, options, lr, why);
}
