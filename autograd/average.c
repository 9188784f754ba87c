/* SPDX-License-Identifier: MIT */
/* Moving averages of results, in parameters. They move only when ag_backward has run without a
   failure, so a run that fails or that only computes results leaves them as they are. On a device
   it makes no difference whether the run was launched or repeated. */
#include "core/update.h"
#include "autograd/tape.h"
#include "core/float_mode.h"
#include "core/params.h"
#include "core/shape.h"

/* 1: x can be averaged in `to`, the tensor of the parameter; else the tape has failed. */
static int fits(ag_tape *tape, const ag_tensor *to, const ag_tensor *x, ag_real rate)
{
    const ag_tensor *root = tape->tensors[x->root];
    char have[64], want[64];
    if (!ag_shape_equal(x->shape, to->shape))
        ag_tape_fail(tape, AG_ESHAPE,
                     "ag_moving_average: x is %s, but parameter \"%s\" is %s; give both one shape",
                     ag_shape_text(have, x->shape), to->param->name,
                     ag_shape_text(want, to->shape));
    else if (x->is_int || (root->node < 0 && !root->param))
        ag_tape_fail(tape, AG_EUSE,
                     "ag_moving_average: x is %s (for parameter \"%s\"); give it a real result of "
                     "an op or a parameter",
                     x->is_int ? "of int32 indices" : "an input of the tape", to->param->name);
    else if (!(rate >= 0 && rate <= 1))
        ag_tape_fail(tape, AG_EUSE,
                     "ag_moving_average: the rate for parameter \"%s\" is %g; it must be in [0,1]",
                     to->param->name, (double)rate);
    else if (to->param->decay)
        ag_tape_fail(tape, AG_EUSE,
                     "ag_moving_average: parameter \"%s\" has weight decay, which would shrink the "
                     "average; add it with decay 0",
                     to->param->name);
    return !ag_failed(tape);
}

ag_tensor *ag_moving_average(ag_param *average, ag_tensor *x, ag_real rate)
{
    ag_tape *tape = ag_tape_of(x);
    if (!ag__usable(x, "ag_moving_average")) return ag__poison(tape);
    const ag_tensor *to = ag_parameter(tape, average);
    if (ag_failed(tape) || !fits(tape, to, x, rate)) return ag__poison(tape);
    if (!tape->training) return x;
    if (ag__reserve(&tape->averages, &tape->averages_capacity, tape->n_averages + 1,
                    sizeof *tape->averages)) {
        ag_tape_fail(tape, AG_EMEMORY,
                     "There is no memory for another moving average on the tape (it has %d)",
                     tape->n_averages);
        return ag__poison(tape);
    }
    tape->averages[tape->n_averages++] = (ag_average){average, x, rate};
    return ag_keep(x);
}

static void move_here(ag_real *average, const ag_real *x, int64_t n, ag_real rate)
{
    for (int64_t i = 0; i < n; i++) average[i] = ag__averaged(average[i], x[i], rate);
}

void ag__move_averages(ag_tape *tape)
{
    const uint64_t mode = ag__float_mode_flush();
    if (tape->device != AG_CPU && tape->n_averages) ag__device_doing("moving averages");
    for (int i = 0; i < tape->n_averages; i++) {
        const ag_average *a = &tape->averages[i];
        ag_real *values = ag__param_values(a->param);
        if (tape->device == AG_CPU)
            move_here(values, a->x->data, a->x->count, a->rate);
        else
            ag__device_average(values, a->x->there, a->x->count, a->rate);
    }
    if (tape->device != AG_CPU) ag__device_failed(&tape->failure);
    ag__float_mode_set(mode);
}
