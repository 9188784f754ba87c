/* SPDX-License-Identifier: MIT */
#include "examples/harness/machine/doctor.h"

#include <float.h>
#include <math.h>

/* Sizes that no tile and no vector divides. */
enum { ROWS = 301, INNER = 517, COLUMNS = 131, NODES = 1013, EDGES = 9001, FEATURES = 37 };

/* Terms of up to 517 are added in float, in any order: each addition rounds by 6e-8 at most. */
static const double bound = 517 * 6e-8;

static void draw(ag_real *x, int64_t n, ag_random *r)
{
    for (int64_t i = 0; i < n; i++) x[i] = (ag_real)(2 * ag_random_uniform(r) - 1);
}

static void meet(double *worst, double got, double sum, double size)
{
    const double error = fabs(got - sum) / (size > 0 ? size : 1);
    if (!(error <= *worst)) *worst = isfinite(error) ? error : DBL_MAX;
}

static ag_status outcome(ag_tape *tape, ag_failure *why)
{
    return ag_failed(tape) ? ag_fail(why, ag_tape_status(tape), "%s", ag_error(tape)) : AG_OK;
}

static ag_status product(harness_selftest *result, ag_tape *tape, ag_failure *why)
{
    ag_random r = {0};
    ag_real *x = HARNESS_NEW(x, ROWS * INNER), *w = HARNESS_NEW(w, COLUMNS * INNER);
    *result = (harness_selftest){"matrix product 301 x 131 x 517", 0, bound};
    draw(x, ROWS * INNER, &r);
    draw(w, COLUMNS * INNER, &r);
    ag_tape_reset(tape);
    ag_tensor *y = ag_linear(ag_input(tape, x, AG_SHAPE(ROWS, INNER)),
                             ag_input(tape, w, AG_SHAPE(COLUMNS, INNER)), NULL);
    ag_forward(y);
    const ag_real *got = ag_values(y);
    for (int i = 0; got && i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < INNER; k++) {
                const double term = (double)x[i * INNER + k] * (double)w[j * INNER + k];
                sum += term;
                size += fabs(term);
            }
            meet(&result->error, (double)got[i * COLUMNS + j], sum, size);
        }
    harness_free(x);
    harness_free(w);
    return outcome(tape, why);
}

static void compare_sums(harness_selftest *result, const ag_real *got, const ag_real *x,
                         const ag_graph *g)
{
    for (int v = 0; v < NODES; v++)
        for (int j = 0; j < FEATURES; j++) {
            double sum = 0, size = 0;
            for (int p = g->rows[2 * v]; p < g->rows[2 * v] + g->rows[2 * v + 1]; p++) {
                sum += (double)x[g->sources[p] * FEATURES + j];
                size += fabs((double)x[g->sources[p] * FEATURES + j]);
            }
            meet(&result->error, (double)got[v * FEATURES + j], sum, size);
        }
}

static ag_status neighbours(harness_selftest *result, ag_tape *tape, ag_failure *why)
{
    ag_random r = {.seed = 1};
    int32_t *source = HARNESS_NEW(source, EDGES), *target = HARNESS_NEW(target, EDGES);
    ag_real *x = HARNESS_NEW(x, NODES * FEATURES);
    *result = (harness_selftest){"sum over 9001 edges, 37 features", 0, bound};
    draw(x, NODES * FEATURES, &r);
    for (int i = 0; i < EDGES; i++) {
        source[i] = (int32_t)ag_random_below(&r, NODES);
        target[i] = (int32_t)ag_random_below(&r, NODES / 2); /* half have no neighbours */
    }
    ag_graph *g = ag_graph_build(NODES, source, target, EDGES, AG_ALONG, why);
    if (g) {
        ag_tape_reset(tape);
        ag_tensor *y = ag_spmm(ag_input(tape, x, AG_SHAPE(NODES, FEATURES)),
                               ag_graph_edges(tape, g), AG_AGGREGATE_SUM);
        ag_forward(y);
        const ag_real *got = ag_values(y);
        if (got) compare_sums(result, got, x, g);
        outcome(tape, why);
    }
    ag_graph_free(g);
    harness_free(source);
    harness_free(target);
    harness_free(x);
    return why->status;
}

ag_status harness_selftest_run(harness_selftest result[HARNESS_SELFTESTS], ag_tape *tape,
                               ag_failure *why)
{
    return product(&result[0], tape, why) ? why->status : neighbours(&result[1], tape, why);
}
