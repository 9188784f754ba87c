/* SPDX-License-Identifier: MIT */
/* A whole step of training: backward, and AdamW. */
#include "layers/layers.h"
#include "core/error.h"

#include <math.h>

ag_status ag_minimize(ag_tensor *loss, ag_params *params, const ag_adamw *options, double lr,
                      ag_failure *why)
{
    const ag_tape *tape = loss ? ag_tape_of(loss) : NULL;
    if (!tape) return ag_fail(why, AG_EUSE, "ag_minimize: loss is NULL; give it a tensor");
    ag_backward(loss);
    const double value = (double)ag_item(loss);
    if (ag_failed(tape)) return ag_fail(why, ag_tape_status(tape), "%s", ag_error(tape));
    if (!isfinite(value)) {
        if (params) params->state = AG_BAD;
        return ag_fail(why, AG_EFINITE,
                       "ag_minimize: the loss is %g, but must be finite; lower the learning rate, "
                       "or ask ag_check_finite which op made it",
                       value);
    }
    const ag_adamw standard = ag_adamw_default();
    return ag_adamw_step(params, options ? options : &standard, lr, why);
}
