/* SPDX-License-Identifier: MIT */
/* Regression on a toy graph: every node of a ring learns a function of its own number and its
   neighbours'. build/release/bin/quickstart [cpu|cuda] */
#include "augur.h"

#include <math.h>
#include <string.h>

enum { NODES = 64, HIDDEN = 32, STEPS = 400 };

int main(int argc, char **argv)
{
    const ag_device device = argc > 1 && strcmp(argv[1], "cuda") == 0 ? AG_CUDA : AG_CPU;
    int32_t source[2 * NODES], target[2 * NODES];
    ag_real x[NODES], y[NODES];
    ag_random random = {.seed = 1};
    ag_failure why = {0};
    for (int v = 0; v < NODES; v++) { /* a ring: v has two neighbours */
        source[2 * v] = (v + 1) % NODES, source[2 * v + 1] = (v + NODES - 1) % NODES;
        target[2 * v] = target[2 * v + 1] = v;
        x[v] = (ag_real)ag_random_normal(&random);
    }
    for (int v = 0; v < NODES; v++)
        y[v] = (ag_real)sin(x[v]) + x[source[2 * v]] * x[source[2 * v + 1]];
    ag_graph *graph = ag_graph_build(NODES, source, target, 2 * NODES, AG_ALONG, &why);

    ag_params *params = ag_params_new();
    ag_linear_layer in = ag_layer_linear(params, "in", 1, HIDDEN, 1);
    ag_sage_layer sage = ag_layer_sage(params, "sage", HIDDEN, HIDDEN);
    ag_linear_layer out = ag_layer_linear(params, "out", HIDDEN, 1, 1);
    sage.aggregate = AG_AGGREGATE_SUM;
    ag_params_build(params, 1);
    ag_params_to(params, device, &why);
    ag_tape *tape = ag_tape_new(device);
    ag_adamw adamw = ag_adamw_default();
    ag_schedule schedule = {.kind = AG_COSINE, .lr = 0.02, .warmup = 20, .total = STEPS};
    for (int step = 0; step < STEPS && !why.status; step++) {
        ag_tape_begin(tape, 1);
        ag_tensor *h = ag_input(tape, x, AG_SHAPE(NODES, 1));
        h = ag_gelu(ag_apply_linear(&in, h));
        h = ag_gelu(ag_apply_sage(&sage, h, ag_graph_edges(tape, graph)));
        h = ag_apply_linear(&out, h);
        ag_tensor *loss = ag_squared_error(h, ag_input(tape, y, AG_SHAPE(NODES, 1)));
        /* plans once, then runs forward, backward and a step of AdamW */
        ag_minimize(loss, params, &adamw, ag_schedule_at(&schedule, step), &why);
        if (!why.status && (step % 100 == 0 || step == STEPS - 1))
            printf("step %3d  loss %.5f\n", step, (double)ag_item(loss));
    }
    if (why.status) fprintf(stderr, "quickstart: %s\n", why.sentence);
    ag_tape_free(tape);
    ag_params_free(params);
    ag_graph_free(graph);
    return why.status == AG_EDEVICE ? 6 : why.status != AG_OK;
}
