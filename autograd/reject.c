/* SPDX-License-Identifier: MIT */
/* Sentences of ops that refuse their inputs. */
#include "autograd/tape.h"
#include "core/shape.h"

#include <stdarg.h>
#include <string.h>

void ag__input_name(char out[32], const ag_op *op, int i)
{
    char last[32] = "x";
    for (const char *p = op->inputs ? op->inputs : ""; *p;) {
        size_t n = strcspn(p, " ");
        if (strncmp(p, "...", 3) != 0)
            snprintf(last, sizeof last, "%.*s", (int)(n < 31 ? n : 31), p);
        if (i-- == 0) break;
        p += n + (p[n] == ' ');
    }
    memcpy(out, last, sizeof last);
}

int ag__reject_input(ag_call *call, int culprit, const char *format, ...)
{
    char text[400], reason[220], name[32], shape[64];
    const char *blamed = culprit >= 0 && culprit < call->n_in ? call->names[culprit] : NULL;
    va_list list;
    int at = snprintf(text, sizeof text, "%s: ", call->op->name);
    for (int i = 0; i < call->n_in && at < 300; i++) {
        const char *own = call->names[i];
        ag__input_name(name, call->op, i);
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s%s%.48s%s is %s", i ? ", " : "",
                       name, own ? " \"" : "", own ? own : "", own ? "\"" : "",
                       ag_shape_text(shape, call->xs[i]));
    }
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    ag_tape_fail(call->tape, AG_ESHAPE, "%.300s: %s (op %d%s%.127s%s)", text, reason,
                 call->tape->n_nodes, blamed ? ", \"" : "", blamed ? blamed : "",
                 blamed ? "\"" : "");
    return 1;
}

int ag__same_shape(ag_call *call)
{
    for (int i = 1; i < call->n_in; i++)
        if (!ag_shape_equal(call->xs[0], call->xs[i]))
            return ag__reject_input(call, i,
                                    "the shapes differ, and nothing is broadcast; fit one with "
                                    "ag_reshape or, from [n,1] to [n], ag_squeeze, or a row with "
                                    "ag_add_bias or ag_mul_columns");
    call->ys[0] = call->xs[0];
    return 0;
}
