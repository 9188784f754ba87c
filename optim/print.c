/* SPDX-License-Identifier: MIT */
/* A summary of parameters. */
#include "optim/internal.h"
#include "core/shape.h"

#include <string.h>

static int longer(int width, const char *text)
{
    const int n = (int)strlen(text);
    return n > width ? n : width;
}

void ag_params_print(const ag_params *params, FILE *file)
{
    char shape[64];
    int name_width = longer(0, "parameter"), shape_width = longer(0, "shape");
    if (!file) return;
    if (!params) {
        fputs("no parameters: the argument is NULL\n", file);
        return;
    }
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        name_width = longer(name_width, p->name);
        shape_width = longer(shape_width, ag_shape_text(shape, p->shape));
    }
    fprintf(file, "%-*s  %-*s  %12s  decay\n", name_width, "parameter", shape_width, "shape",
            "numbers");
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        fprintf(file, "%-*s  %-*s  %12lld  %s\n", name_width, p->name, shape_width,
                ag_shape_text(shape, p->shape), (long long)p->count, p->decay ? "yes" : "no");
    }
    fprintf(file,
            "%d %s, %lld numbers; %lld bytes with gradients and two moments, after %lld step%s\n",
            params->count, params->count == 1 ? "parameter" : "parameters",
            (long long)ag_params_count(params), 4 * (long long)sizeof(ag_real) * params->size,
            (long long)params->step, params->step == 1 ? "" : "s");
    if (params->failure.status != AG_OK) fprintf(file, "%s\n", params->failure.sentence);
}
