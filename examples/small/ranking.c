/* SPDX-License-Identifier: MIT */
/* Order, not numbers: which of several ways to run a loop is the fastest? A network that is trained
   on pairs orders the ways of loops that it has not seen; one that is trained on the
   logarithms of run times spends itself on how long the loops are. build/release/bin/small_ranking
 */
#include "augur.h"

#include <math.h>

enum { LOOPS = 120, TRAIN = 80, WAYS = 12, ITEMS = LOOPS * WAYS, FEATURES = 4, STEPS = 400 };

static ag_real x[ITEMS][FEATURES], time_of[ITEMS], ln_of[ITEMS];
static int32_t rank_of[ITEMS];

/* A loop of so many steps, cut into tiles and unrolled: large tiles miss the cache, small ones cost
   a branch each, and much unrolling spills registers. */
static void draw_loops(void)
{
    ag_random random = {.seed = 1};
    for (int i = 0, loop = 0; loop < LOOPS; loop++) {
        const double steps = pow(10, 3 + 4 * ag_random_uniform(&random));
        const double cache = 4 + 8 * ag_random_uniform(&random);
        for (int way = 0; way < WAYS; way++, i++) {
            const double tile = 12 * ag_random_uniform(&random);
            const double unroll = 5 * ag_random_uniform(&random);
            const double cost = 1 + 3 / (1 + exp(cache - tile)) + 4 * exp2(-tile) +
                                0.3 * fabs(unroll - 2) + 0.02 * ag_random_normal(&random);
            x[i][0] = (ag_real)(log10(steps) / 5 - 1);
            x[i][1] = (ag_real)(cache / 8 - 1);
            x[i][2] = (ag_real)(tile / 6 - 1);
            x[i][3] = (ag_real)(unroll / 2.5 - 1);
            time_of[i] = (ag_real)(steps * cost * 1e-6);
            ln_of[i] = (ag_real)log(time_of[i]);
        }
    }
    for (int i = 0; i < ITEMS; i++) /* 0 is the fastest way of its loop */
        for (int j = i / WAYS * WAYS; j < (i / WAYS + 1) * WAYS; j++)
            rank_of[i] += time_of[j] < time_of[i];
}

/* Kendall's tau within the loops that were not trained on; ranks: the loss is that of pairs. */
static double train(int ranks, ag_failure *why)
{
    int32_t starts[TRAIN + 1];
    ag_params *params = ag_params_new();
    const ag_mlp_layer net = ag_layer_mlp(params, "net", (int[]){FEATURES, 32, 32, 1}, 4);
    ag_params_build(params, 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_adamw adamw = ag_adamw_default();
    double tau = 0;
    for (int i = 0; i <= TRAIN; i++) starts[i] = i * WAYS;
    for (int step = 0; step < STEPS && !why->status; step++) {
        const int n = TRAIN * WAYS;
        ag_tape_reset(tape);
        ag_tensor *y = ag_apply_mlp(&net, ag_input(tape, x[0], AG_SHAPE(n, FEATURES)));
        y = ag_reshape(y, AG_SHAPE(n));
        ag_tensor *groups = ag_input_i32(tape, starts, AG_SHAPE(TRAIN + 1));
        ag_tensor *loss = ranks ? ag_pairwise_logistic_groups(
                                      y, ag_input_i32(tape, rank_of, AG_SHAPE(n)), groups, AG_MEAN)
                                : ag_squared_error(y, ag_input(tape, ln_of, AG_SHAPE(n)));
        ag_minimize(loss, params, &adamw, 0.01, why);
    }
    ag_tape_reset(tape);
    ag_tape_training(tape, 0);
    ag_tensor *y = ag_apply_mlp(&net, ag_input(tape, x[0], AG_SHAPE(ITEMS, FEATURES)));
    ag_forward(y);
    for (int loop = TRAIN; loop < LOOPS && !ag_failed(tape); loop++)
        tau += ag_kendall_tau(ag_values(y) + loop * WAYS, time_of + loop * WAYS, WAYS) /
               (LOOPS - TRAIN);
    ag_tape_free(tape);
    ag_params_free(params);
    return tau;
}

int main(void)
{
    ag_failure why = {0};
    draw_loops();
    const double errors = train(0, &why), pairs = train(1, &why);
    if (why.status) return puts(why.sentence), 1;
    printf("Kendall's tau, mean over %d loops that were not trained on\n", LOOPS - TRAIN);
    printf("trained on ln of run times  %.3f\ntrained on pairs            %.3f\n", errors, pairs);
    return 0;
}
