/* SPDX-License-Identifier: MIT */
/* LSTM and GRU in plain loops, in double, over one sequence at a time. */
#ifndef AG_TESTS_RECURRENT_PLAIN_H
#define AG_TESTS_RECURRENT_PLAIN_H

#include "support/test.h"
#include "support/sanitized.h"
#include "augur.h"

enum { MOST = 64, PARTS = 5 };

typedef struct kind {
    int gates; /* 4: LSTM, 3: GRU */
    int states, backwards;
} kind;

typedef struct problem {
    kind kind;
    int n, in, h, wide, sequences, parts, results;
    int32_t starts[MOST + 1];
    ag_params *params;
    ag_param *part[PARTS]; /* x, w_input, w_state, bias; of a GRU the second bias */
    ag_tape *tape;
    float *weight; /* the loss is <y, weight> */
    const float *y;
    long allocations; /* of the last run */
    int chosen;       /* 1: an op makes the starts */
} problem;

/* ---- the same in plain loops ---- */

/* Of each sequence: the gates [wide] of every row, the part of the state in them, cell and state
   [h] after every row. d_input and d_product are the gradients of both parts in one row. */
typedef struct plain {
    double *y, *gradient[PARTS]; /* of the whole problem */
    double *gates, *product, *cell, *state, *d_input, *d_product, *d_state, *d_cell;
} plain;

static double *zeros(int64_t n) { return test_calloc((size_t)n + 1, sizeof(double)); }
static double sigmoid(double v) { return 1 / (1 + exp(-v)); }

/* The row of step t. */
static int row_of(const problem *p, int sequence, int t)
{
    return p->kind.backwards ? p->starts[sequence + 1] - 1 - t : p->starts[sequence] + t;
}

/* Both parts of the gates; that of the input is left in their place. */
PLAIN_LOOP static void plain_parts(plain *q, const problem *p, int row, int t)
{
    for (int u = 0; u < p->wide; u++) {
        double input = (double)p->part[3]->value[u],
               product = p->parts == 5 ? (double)p->part[4]->value[u] : 0;
        for (int i = 0; i < p->in; i++)
            input += (double)p->part[1]->value[u * p->in + i] *
                     (double)p->part[0]->value[row * p->in + i];
        for (int i = 0; i < p->h; i++)
            product += (double)p->part[2]->value[u * p->h + i] * q->state[t * p->h + i];
        q->gates[t * p->wide + u] = input;
        q->product[t * p->wide + u] = product;
    }
}

static void plain_lstm(plain *q, int h, int t)
{
    double *gates = q->gates + 4 * t * h;
    for (int u = 0; u < 4 * h; u++) {
        const double v = gates[u] + q->product[4 * t * h + u];
        gates[u] = u / h == 2 ? tanh(v) : sigmoid(v);
    }
    for (int u = 0; u < h; u++) {
        const double c = gates[h + u] * q->cell[t * h + u] + gates[u] * gates[2 * h + u];
        q->cell[(t + 1) * h + u] = c;
        q->state[(t + 1) * h + u] = gates[3 * h + u] * tanh(c);
    }
}

static void plain_gru(plain *q, int h, int t)
{
    double *r = q->gates + 3 * t * h, *z = r + h, *n = z + h;
    const double *product = q->product + 3 * t * h;
    for (int u = 0; u < h; u++) {
        r[u] = sigmoid(r[u] + product[u]);
        z[u] = sigmoid(z[u] + product[h + u]);
        n[u] = tanh(n[u] + r[u] * product[2 * h + u]);
        q->state[(t + 1) * h + u] = (1 - z[u]) * n[u] + z[u] * q->state[t * h + u];
    }
}

/* d_cell goes one row back; d_state becomes what goes back past the gates. */
static void plain_lstm_back(plain *q, int h, int t)
{
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
        q->d_state[u] = 0;
    }
    memcpy(q->d_product, q->d_input, (size_t)(4 * h) * sizeof(double));
}

static void plain_gru_back(plain *q, int h, int t)
{
    const double *gates = q->gates + 3 * t * h;
    for (int u = 0; u < h; u++) {
        const double r = gates[u], z = gates[h + u], n = gates[2 * h + u], d = q->d_state[u];
        const double dn = d * (1 - z) * (1 - n * n);
        q->d_product[u] = dn * q->product[3 * t * h + 2 * h + u] * r * (1 - r);
        q->d_product[h + u] = d * (q->state[t * h + u] - n) * z * (1 - z);
        q->d_product[2 * h + u] = dn * r;
        q->d_state[u] = d * z;
        q->d_input[2 * h + u] = dn;
    }
    memcpy(q->d_input, q->d_product, (size_t)(2 * h) * sizeof(double));
}

/* Gradients of the parts from those of the gates' parts; d_state goes one row back. */
PLAIN_LOOP static void plain_gradients(plain *q, const problem *p, int row, int t)
{
    for (int u = 0; u < p->wide; u++) {
        const double d = q->d_input[u], e = q->d_product[u];
        q->gradient[3][u] += d;
        if (p->parts == 5) q->gradient[4][u] += e;
        for (int i = 0; i < p->in; i++) {
            q->gradient[0][row * p->in + i] += d * (double)p->part[1]->value[u * p->in + i];
            q->gradient[1][u * p->in + i] += d * (double)p->part[0]->value[row * p->in + i];
        }
        for (int i = 0; i < p->h; i++) {
            q->gradient[2][u * p->h + i] += e * q->state[t * p->h + i];
            q->d_state[i] += e * (double)p->part[2]->value[u * p->h + i];
        }
    }
}

static void plain_sequence(plain *q, const problem *p, int s)
{
    const int rows = p->starts[s + 1] - p->starts[s], h = p->h;
    q->gates = zeros(rows * p->wide);
    q->product = zeros(rows * p->wide);
    q->cell = zeros((rows + 1) * h);
    q->state = zeros((rows + 1) * h);
    for (int t = 0; t < rows; t++) {
        plain_parts(q, p, row_of(p, s, t), t);
        (p->kind.gates == 4 ? plain_lstm : plain_gru)(q, h, t);
        for (int u = 0; u < h && p->kind.states; u++)
            q->y[row_of(p, s, t) * h + u] = q->state[(t + 1) * h + u];
    }
    for (int u = 0; u < h; u++) {
        if (!p->kind.states) q->y[s * h + u] = q->state[rows * h + u];
        q->d_state[u] = p->kind.states ? 0 : (double)p->weight[s * h + u];
        q->d_cell[u] = 0;
    }
    for (int t = rows - 1; t >= 0; t--) {
        const int row = row_of(p, s, t);
        for (int u = 0; u < h && p->kind.states; u++)
            q->d_state[u] += (double)p->weight[row * h + u];
        (p->kind.gates == 4 ? plain_lstm_back : plain_gru_back)(q, h, t);
        plain_gradients(q, p, row, t);
    }
    test_free(q->gates);
    test_free(q->product);
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
    plain q = {.y = zeros(p->results * p->h),
               .d_input = zeros(p->wide),
               .d_product = zeros(p->wide),
               .d_state = zeros(p->h),
               .d_cell = zeros(p->h)};
    for (int k = 0; k < p->parts; k++) q.gradient[k] = zeros(p->part[k]->count);
    for (int s = 0; s < p->sequences; s++) plain_sequence(&q, p, s);
    assert_true(apart(p->y, q.y, p->results * p->h) <= 1e-5);
    for (int k = 0; k < p->parts; k++) {
        const double error = apart(p->part[k]->gradient, q.gradient[k], p->part[k]->count);
        if (!(error <= 1e-4))
            fail_msg("%d gates, states %d, backwards %d: gradient of %s: off by %g", p->kind.gates,
                     p->kind.states, p->kind.backwards, p->part[k]->name, error);
        test_free(q.gradient[k]);
    }
    test_free(q.y);
    test_free(q.d_input);
    test_free(q.d_product);
    test_free(q.d_state);
    test_free(q.d_cell);
}

#endif
