/* SPDX-License-Identifier: MIT */
/* An LSTM in plain loops, in double, over one sequence at a time. */
#ifndef AG_TESTS_LSTM_PLAIN_H
#define AG_TESTS_LSTM_PLAIN_H

#include "support/test.h"
#include "augur.h"

enum { MOST = 64, PARTS = 4 };

typedef struct problem {
    int n, in, h, sequences;
    int32_t starts[MOST + 1];
    ag_params *params;
    ag_param *part[PARTS]; /* x, w_input, w_state, bias */
    ag_tape *tape;
    float *weight; /* the loss is <y, weight> */
    const float *y;
    long allocations; /* of the last run */
    int chosen;       /* 1: an op makes the starts */
} problem;

/* ---- the same in plain loops ---- */

/* Of each sequence: the gates [4h] of every row, cell and hidden state [h] after every row. */
typedef struct plain {
    double *y, *gradient[PARTS]; /* of the whole problem */
    double *gates, *cell, *state, *d_input, *d_state, *d_cell;
} plain;

static double *zeros(int64_t n) { return test_calloc((size_t)n + 1, sizeof(double)); }
static double sigmoid(double v) { return 1 / (1 + exp(-v)); }

static void plain_forward(plain *q, const problem *p, int first, int rows)
{
    const int h = p->h;
    for (int t = 0; t < rows; t++) {
        double *gates = q->gates + 4 * t * h;
        for (int u = 0; u < 4 * h; u++) {
            double v = (double)p->part[3]->value[u];
            for (int i = 0; i < p->in; i++)
                v += (double)p->part[1]->value[u * p->in + i] *
                     (double)p->part[0]->value[(first + t) * p->in + i];
            for (int i = 0; i < h; i++)
                v += (double)p->part[2]->value[u * h + i] * q->state[t * h + i];
            gates[u] = u / h == 2 ? tanh(v) : sigmoid(v);
        }
        for (int u = 0; u < h; u++) {
            const double c = gates[h + u] * q->cell[t * h + u] + gates[u] * gates[2 * h + u];
            q->cell[(t + 1) * h + u] = c;
            q->state[(t + 1) * h + u] = gates[3 * h + u] * tanh(c);
        }
    }
}

/* d_state and d_cell go one row back; d_input is the gradient of the gates' inputs in row t. */
static void plain_step_back(plain *q, const problem *p, int t)
{
    const int h = p->h;
    const double *gates = q->gates + 4 * t * h;
    for (int u = 0; u < h; u++) {
        const double i = gates[u], f = gates[h + u], g = gates[2 * h + u], o = gates[3 * h + u];
        const double c = tanh(q->cell[(t + 1) * h + u]);
        const double d = q->d_cell[u] + q->d_state[u] * o * (1 - c * c);
        q->d_input[u] = d * g * i * (1 - i);
        q->d_input[h + u] = d * q->cell[t * h + u] * f * (1 - f);
        q->d_input[2 * h + u] = d * i * (1 - g * g);
        q->d_input[3 * h + u] = q->d_state[u] * c * o * (1 - o);
        q->d_cell[u] = d * f;
    }
    memset(q->d_state, 0, (size_t)h * sizeof(double));
    for (int u = 0; u < 4 * h; u++)
        for (int k = 0; k < h; k++)
            q->d_state[k] += q->d_input[u] * (double)p->part[2]->value[u * h + k];
}

static void plain_gradients(plain *q, const problem *p, int row, int t)
{
    for (int u = 0; u < 4 * p->h; u++) {
        const double d = q->d_input[u];
        q->gradient[3][u] += d;
        for (int i = 0; i < p->in; i++) {
            q->gradient[0][row * p->in + i] += d * (double)p->part[1]->value[u * p->in + i];
            q->gradient[1][u * p->in + i] += d * (double)p->part[0]->value[row * p->in + i];
        }
        for (int i = 0; i < p->h; i++) q->gradient[2][u * p->h + i] += d * q->state[t * p->h + i];
    }
}

static void plain_sequence(plain *q, const problem *p, int s)
{
    const int first = p->starts[s], rows = p->starts[s + 1] - first, h = p->h;
    q->gates = zeros(4 * rows * h);
    q->cell = zeros((rows + 1) * h);
    q->state = zeros((rows + 1) * h);
    plain_forward(q, p, first, rows);
    for (int u = 0; u < h; u++) {
        q->y[s * h + u] = q->state[rows * h + u];
        q->d_state[u] = (double)p->weight[s * h + u];
        q->d_cell[u] = 0;
    }
    for (int t = rows - 1; t >= 0; t--) {
        plain_step_back(q, p, t);
        plain_gradients(q, p, first + t, t);
    }
    test_free(q->gates);
    test_free(q->cell);
    test_free(q->state);
}

/* Largest difference, relative to the largest number (at least 1). */
static double apart(const float *have, const double *want, int64_t n)
{
    double worst = 0, scale = 1;
    for (int64_t i = 0; i < n; i++) {
        const double d = fabs((double)have[i] - want[i]);
        scale = fmax(scale, fabs(want[i]));
        worst = d <= worst ? worst : d; /* a NaN stays */
    }
    return worst / scale;
}

static void compare(const problem *p)
{
    plain q = {.y = zeros(p->sequences * p->h),
               .d_input = zeros(4 * p->h),
               .d_state = zeros(p->h),
               .d_cell = zeros(p->h)};
    for (int k = 0; k < PARTS; k++) q.gradient[k] = zeros(p->part[k]->count);
    for (int s = 0; s < p->sequences; s++) plain_sequence(&q, p, s);
    assert_true(apart(p->y, q.y, p->sequences * p->h) <= 1e-5);
    for (int k = 0; k < PARTS; k++) {
        const double error = apart(p->part[k]->gradient, q.gradient[k], p->part[k]->count);
        if (!(error <= 1e-4)) fail_msg("gradient of %s: off by %g", p->part[k]->name, error);
        test_free(q.gradient[k]);
    }
    test_free(q.y);
    test_free(q.d_input);
    test_free(q.d_state);
    test_free(q.d_cell);
}

#endif
