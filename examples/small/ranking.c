/* SPDX-License-Identifier: MIT */
/* Order, not numbers: which of several ways to run a loop is the fastest? A network that is trained
   on pairs orders the ways of loops that it has not seen; one that is trained on the
   logarithms of run times spends itself on how long the loops are. build/release/bin/small_ranking
 */
#include "augur.h"

#include <math.h>

enum { TRAIN = 80, TEST = 40, LOOPS = TRAIN + TEST, WAYS = 12, FEATURES = 4, STEPS = 400 };
enum { SEEN = TRAIN * WAYS, ITEMS = LOOPS * WAYS };

static ag_real x[ITEMS][FEATURES], time_of[ITEMS];
static int32_t rank_of[ITEMS], starts[LOOPS + 1];

/* A loop of so many steps, cut into tiles and unrolled: large tiles miss the cache, small ones cost
   a branch each, and much unrolling spills registers. */
static void draw_loops(void)
{
    ag_random random = {.seed = 1};
    for (int i = 0, loop = 0; loop < LOOPS; loop++) {
        starts[loop + 1] = (loop + 1) * WAYS;
        const double steps = pow(10, 3 + 4 * ag_random_uniform(&random));
        const double cache = 4 + 8 * ag_random_uniform(&random);
        for (int way = 0; way < WAYS; way++, i++) {
            const double tile = 12 * ag_random_uniform(&random);
            const double unroll = 5 * ag_random_uniform(&random);
            const double cost = 1 + 3 / (1 + exp(cache - tile)) + 4 * exp2(-tile) +
                                0.3 * fabs(unroll - 2) + 0.02 * ag_random_normal(&random);
            const double known[] = {log10(steps) / 5, cache / 8, tile / 6, unroll / 2.5};
            for (int f = 0; f < FEATURES; f++) x[i][f] = (ag_real)(known[f] - 1);
            time_of[i] = (ag_real)(steps * cost * 1e-6);
        }
    }
    for (int i = 0; i < ITEMS; i++) /* 0 is the fastest way of its loop */
        for (int j = i / WAYS * WAYS; j < (i / WAYS + 1) * WAYS; j++)
            rank_of[i] += time_of[j] < time_of[i];
}

/* Kendall's tau within the loops that were not trained on. */
static double train(int by_pairs, ag_failure *why)
{
    ag_params *params = ag_params_new();
    const ag_mlp_layer net = ag_layer_mlp(params, "net", (int[]){FEATURES, 32, 32, 1}, 4);
    ag_params_build(params, 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int step = 0; step < STEPS && !why->status; step++) {
        ag_tape_begin(tape, 1);
        ag_tensor *seen = ag_input(tape, x[0], AG_SHAPE(SEEN, FEATURES));
        ag_tensor *times = ag_input(tape, time_of, AG_SHAPE(SEEN));
        ag_tensor *ranks = ag_input_i32(tape, rank_of, AG_SHAPE(SEEN));
        ag_tensor *loops = ag_input_i32(tape, starts, AG_SHAPE(TRAIN + 1));
        ag_tensor *y = ag_squeeze(ag_apply_mlp(&net, seen));
        ag_tensor *loss = by_pairs ? ag_pairwise_logistic_groups(y, ranks, loops, AG_MEAN)
                                   : ag_squared_error(y, ag_log(times));
        ag_minimize(loss, params, NULL, 0.01, why);
    }
    ag_tape_begin(tape, 0);
    ag_tensor *y = ag_squeeze(ag_apply_mlp(&net, ag_input(tape, x[0], AG_SHAPE(ITEMS, FEATURES))));
    const double tau = ag_kendall_tau_groups(ag_compute(y, why), time_of, starts + TRAIN, TEST);
    ag_tape_free(tape);
    ag_params_free(params);
    return tau;
}

int main(void)
{
    ag_failure why = {0};
    draw_loops();
    const double errors = train(0, &why), pairs = train(1, &why);
    if (why.status) return ag_report(&why);
    printf("Kendall's tau, mean over %d loops that were not trained on\n", TEST);
    printf("trained on ln of run times  %.3f\ntrained on pairs            %.3f\n", errors, pairs);
    return 0;
}
