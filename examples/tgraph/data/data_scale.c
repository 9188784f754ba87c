/* SPDX-License-Identifier: MIT */
/* Standardisation, in double: parts are merged by Chan, Golub and LeVeque's update. */
#include "examples/harness/rank/unseen.h"
#include "examples/tgraph/data/data_internal.h"

#include <float.h>
#include <math.h>

void tgraph_scaler_add(tgraph_scaler *s, const float *x, int64_t rows)
{
    double before = (double)s->count, added = (double)rows;
    if (rows == 0) return;
    for (int k = 0; k < TGRAPH_NUMERIC; k++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < rows; i++) sum += (double)x[i * TGRAPH_NUMERIC + k];
        double mean = sum / added;
        for (int64_t i = 0; i < rows; i++) {
            double d = (double)x[i * TGRAPH_NUMERIC + k] - mean;
            squares += d * d;
        }
        double shift = mean - s->mean[k];
        s->mean[k] += shift * added / (before + added);
        s->squares[k] += squares + shift * shift * before * added / (before + added);
    }
    s->count += rows;
}

void tgraph_scaler_end(tgraph_scaler *s)
{
    double n = (double)s->count;
    for (int k = 0; k < TGRAPH_NUMERIC; k++) {
        double variance = s->count ? s->squares[k] / n : 0, error = n * s->mean[k] * DBL_EPSILON;
        /* below what rounding alone gives, a column is constant (as in sklearn) */
        int constant = variance <= n * DBL_EPSILON * variance + error * error;
        s->scale[k] = constant ? 1 : sqrt(variance);
    }
}

void tgraph_scaler_apply(const tgraph_scaler *s, ag_real *y, const float *x, int64_t rows)
{
    for (int64_t i = 0; i < rows * TGRAPH_NUMERIC; i++) {
        int k = (int)(i % TGRAPH_NUMERIC);
        y[i] = (ag_real)(((double)x[i] - s->mean[k]) / s->scale[k]);
    }
}

int tgraph_graph_far(const tgraph_graph *g, const tgraph_scaler *s)
{
    double low[TGRAPH_NUMERIC], high[TGRAPH_NUMERIC];
    for (int k = 0; k < TGRAPH_NUMERIC; k++) {
        low[k] = s->mean[k] - TGRAPH_FAR * s->scale[k];
        high[k] = s->mean[k] + TGRAPH_FAR * s->scale[k];
    }
    return (int)harness_far_rows(g->raw, g->nodes, TGRAPH_NUMERIC, low, high);
}
