/* SPDX-License-Identifier: MIT */
/* Two spirals, one around the other: an MLP tells which of them a point is on. No straight line
   can, as logistic regression, an MLP of one layer, shows. build/release/bin/small_mlp */
#include "augur.h"

#include <math.h>

enum { TRAIN = 400, TEST = 200, POINTS = TRAIN + TEST, STEPS = 600 };

static ag_real x[POINTS][2];
static int32_t label[POINTS];

static void draw_points(void)
{
    ag_random random = {.seed = 1};
    for (int i = 0; i < POINTS; i++) {
        const double turn = 1 + 9 * ag_random_uniform(&random), side = i % 2 ? 1 : -1;
        x[i][0] = (ag_real)(side * turn / 10 * cos(turn) + 0.02 * ag_random_normal(&random));
        x[i][1] = (ag_real)(side * turn / 10 * sin(turn) + 0.02 * ag_random_normal(&random));
        label[i] = i % 2;
    }
}

/* Trains on the first points, and returns the accuracy on the others. */
static double train(const int *widths, int n, ag_failure *why)
{
    ag_params *params = ag_params_new();
    const ag_mlp_layer net = ag_layer_mlp(params, "net", widths, n);
    ag_params_build(params, 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int step = 0; step < STEPS && !why->status; step++) {
        ag_tape_begin(tape, 1);
        ag_tensor *y = ag_apply_mlp(&net, ag_input(tape, x[0], AG_SHAPE(TRAIN, 2)));
        ag_tensor *truth = ag_input_i32(tape, label, AG_SHAPE(TRAIN));
        ag_minimize(ag_cross_entropy(y, truth, NULL, 0), params, NULL, 0.01, why);
    }
    ag_tape_begin(tape, 0);
    ag_tensor *y = ag_apply_mlp(&net, ag_input(tape, x[TRAIN], AG_SHAPE(TEST, 2)));
    const double accuracy = ag_accuracy(ag_compute(y, why), label + TRAIN, TEST, 2);
    ag_tape_free(tape);
    ag_params_free(params);
    return accuracy;
}

int main(void)
{
    ag_failure why = {0};
    draw_points();
    const double line = train((int[]){2, 2}, 2, &why);
    const double net = train((int[]){2, 64, 64, 2}, 4, &why);
    if (why.status) return ag_report(&why);
    printf("accuracy on %d points that were not trained on\n", TEST);
    printf("logistic regression  %.3f\nMLP                  %.3f\n", line, net);
    return 0;
}
