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
    if (!graph || ag_params_build(params, 1) != AG_OK) return puts("There is no memory."), 5;
    if (ag_params_to(params, device, &why))
        return puts(why.sentence), ag_params_free(params), ag_graph_free(graph), 6;
    ag_tape *tape = ag_tape_new(device);
    ag_adamw adamw = ag_adamw_default();
    ag_schedule schedule = {.kind = AG_COSINE, .lr = 0.02, .warmup = 20, .total = STEPS};
    for (int step = 0; step < STEPS; step++) {
        ag_tape_reset(tape);
        ag_tensor *h = ag_input(tape, x, AG_SHAPE(NODES, 1));
        h = ag_gelu(ag_apply_linear(&in, h));
        h = ag_gelu(ag_apply_sage(&sage, h, ag_graph_edges(tape, graph)));
        h = ag_apply_linear(&out, h);
        ag_tensor *loss = ag_mean_all(ag_square(ag_sub(h, ag_input(tape, y, AG_SHAPE(NODES, 1)))));
        ag_backward(loss); /* plans once, then runs forward and backward */
        if (ag_failed(tape)) return puts(ag_error(tape)), 1;
        if (step % 100 == 0 || step == STEPS - 1)
            printf("step %3d  loss %.5f\n", step, (double)ag_item(loss));
        if (ag_adamw_step(params, &adamw, ag_schedule_at(&schedule, step), &why))
            return puts(why.sentence), 1;
    }
    ag_tape_free(tape);
    ag_params_free(params);
    ag_graph_free(graph);
    return 0;
}
