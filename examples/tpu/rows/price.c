/* SPDX-License-Identifier: MIT */
/* A first guess of the run time of a nest. The costs are those of the lab's loops on the machine of
   its files, fitted to the training files and rounded; those of both splits give nearly the same
   ones. They need not be right: trees and networks learn by how much a nest differs. */
#include "examples/tpu/rows/job.h"

#include <math.h>

enum { VECTOR = 8, ROWS = 4, MAXIMUM = 57 };

/* ns of parts of a nest. */
typedef struct cost {
    double call;      /* of the two inner loops */
    double rows, row; /* start of a loop along four rows of the reduction at once, along one */
    double vector;    /* of 8 elements */
    double left;      /* of an element that vectors leave over */
    double jump;      /* of an element of loops that do not run through memory in order */
} cost;

static cost cost_of_map(const nests_job *w, int opcode)
{
    static const struct {
        int opcode;
        cost cost;
    } op[] = {{TPUGRAPHS_GATHER, {.call = 15, .vector = 0.8, .left = 0.6, .jump = 0.6}},
              {37 /* exponential */, {.call = 27, .vector = 2.7, .left = 3.6, .jump = 3.6}},
              {107 /* logistic */, {.call = 31, .vector = 3.3, .left = 2.7, .jump = 3}},
              {96 /* tanh */, {.call = 30, .vector = 4.7, .left = 3.6, .jump = 3.6}},
              {32 /* divide */, {.call = 21, .vector = 0.8, .left = 1.4, .jump = 1.4}},
              {94 /* sqrt */, {.call = 20, .vector = 1.3, .left = 1.7, .jump = 1.7}},
              {81 /* rsqrt */, {.call = 22, .vector = 2, .left = 2, .jump = 2}},
              {83 /* select */, {.call = 19, .vector = 0.7, .left = 0.95, .jump = 0.95}},
              {TPUGRAPHS_CLAMP, {.call = 19, .vector = 0.6, .left = 1, .jump = 1}}};
    for (size_t i = 0; i < sizeof op / sizeof *op; i++)
        if (op[i].opcode == opcode) return op[i].cost;
    if (w->kind == NESTS_TILE_SPECIAL)
        return (cost){.call = 26, .vector = 3, .left = 2.5, .jump = 3};
    if (w->kind == NESTS_TILE_ARITHMETIC)
        return (cost){.call = 19, .vector = 0.6, .left = 0.3, .jump = 0.4};
    return (cost){.call = 14, .vector = 0.6, .left = 0.3, .jump = 0.35};
}

static cost cost_of_reduction(const nests_job *w, int folds)
{
    const int product = w->kind == NESTS_TILE_PRODUCTS;
    if (folds)
        return product ? (cost){.call = 25, .row = 1.2, .vector = 2.2, .left = 0.73, .jump = 0.7}
                       : (cost){.call = 38, .row = 1.05, .jump = 0.9};
    return product ? (cost){24, 4.7, 2.6, 0.95, 0.7, 0.17} : (cost){20, 2, 2, 1.03, 0.7, 0.25};
}

/* ns of a row of n elements in memory order that becomes one number: sums and maxima keep eight
   parts of it, and what vectors leave over is joined with them in memory, unless it is half a
   vector. */
static double folded_row(int maximum, double n)
{
    const double vectors = floor(n / VECTOR), left = n - VECTOR * vectors;
    if (vectors < 1) return 1;
    const double rest = left == 0 ? 0 : left == VECTOR / 2 ? 1.2 : 10;
    return (maximum ? 2.2 + 1.1 * vectors : 1.9 + 0.25 * vectors) + rest;
}

/* A loop of n elements, `times` times. */
static double loop(const cost *c, double n, double times, int straight)
{
    const double vectors = floor(n / VECTOR);
    return straight ? times * (vectors * c->vector + (n - VECTOR * vectors) * c->left) : 0;
}

double nests_tile_price(const nests_job *w, const nests_plan *plan, int op, int straight)
{
    static const double one_of_four = 0.4; /* a row alone, of the cost of four together */
    const double calls = plan->free * plan->reduced, n = plan->row.size, r = plan->sum.size;
    if (w->kind < NESTS_TILE_PRODUCTS) {
        const cost c = cost_of_map(w, op);
        return calls * (c.call + (straight ? loop(&c, n, 1, 1) : c.jump * n));
    }
    const cost c = cost_of_reduction(w, plan->folds);
    if (w->kind == NESTS_TILE_SUMS && plan->folds && straight)
        return calls * (c.call + n * folded_row(op == MAXIMUM, r));
    const double jumps = straight ? 0 : c.jump * n * r;
    if (plan->folds) return calls * (c.call + n * c.row + loop(&c, r, n, straight) + jumps);
    const double fours = floor(r / ROWS), ones = r - ROWS * fours;
    return calls * (c.call + fours * c.rows + ones * c.row +
                    loop(&c, n, fours + one_of_four * ones, straight) + jumps);
}
