/* SPDX-License-Identifier: MIT */
/* Nets on sequences: recurrent ones, unrolled, and transformers. */
#include "examples/lab/nets/net.h"

typedef struct cell {
    int width, hidden, memory; /* nodes; memory only of an LSTM */
    int input, state, bias;    /* weights: all steps share them */
    int together;              /* input and state concatenated for one product */
} cell;

/* gated: 3 gates (GRU), else 4 (LSTM). */
static cell start_cell(lab_net *net, int batch, int in, int width, int gated, int together)
{
    int gates = gated ? 3 : 4, wide = gates * width, size[2] = {batch, width};
    lab_shape s = {LAB_F32, 2, {batch, width}};
    cell c = {.width = width, .together = together && !gated};
    c.input = lab_net_input(net, 2, (int[]){c.together ? in + width : in, wide});
    if (!c.together) c.state = lab_net_input(net, 2, (int[]){width, wide});
    c.bias = lab_net_input(net, 1, &wide);
    int zero = lab_net_chance(net, 50);
    c.hidden = zero ? lab_net_fill(net, 0, s) : lab_net_input(net, 2, size);
    c.memory = gated || zero ? c.hidden : lab_net_input(net, 2, size);
    return c;
}

static int gate(lab_net *net, const cell *c, int all, int which)
{
    return lab_net_part(net, all, 1, which * c->width, (which + 1) * c->width);
}

static void lstm_step(lab_net *net, cell *c, int x)
{
    lab_program *p = net->p;
    lab_dot_dims plain = {0, 1, 0};
    int all = lab_dot(p, c->together ? lab_net_pair(net, x, c->hidden, 1) : x, c->input, plain);
    if (!c->together) all = lab_binary(p, LAB_ADD, all, lab_dot(p, c->hidden, c->state, plain));
    all = lab_binary(p, LAB_ADD, all, lab_net_along(net, c->bias, all, 1));
    int in = lab_unary(p, LAB_LOGISTIC, gate(net, c, all, 0));
    int forget = lab_unary(p, LAB_LOGISTIC, gate(net, c, all, 1));
    int out = lab_unary(p, LAB_LOGISTIC, gate(net, c, all, 2));
    int fresh = lab_unary(p, LAB_TANH, gate(net, c, all, 3));
    int kept = lab_binary(p, LAB_MULTIPLY, forget, c->memory);
    c->memory = lab_binary(p, LAB_ADD, kept, lab_binary(p, LAB_MULTIPLY, in, fresh));
    c->hidden = lab_binary(p, LAB_MULTIPLY, out, lab_unary(p, LAB_TANH, c->memory));
}

static int summed_gate(lab_net *net, const cell *c, int in, int old, int which)
{
    int a = gate(net, c, in, which), b = gate(net, c, old, which);
    return lab_unary(net->p, LAB_LOGISTIC, lab_binary(net->p, LAB_ADD, a, b));
}

static void gru_step(lab_net *net, cell *c, int x)
{
    lab_program *p = net->p;
    lab_dot_dims plain = {0, 1, 0};
    int in = lab_dot(p, x, c->input, plain), old = lab_dot(p, c->hidden, c->state, plain);
    in = lab_binary(p, LAB_ADD, in, lab_net_along(net, c->bias, in, 1));
    int reset = summed_gate(net, c, in, old, 0), keep = summed_gate(net, c, in, old, 1);
    int past = lab_binary(p, LAB_MULTIPLY, reset, gate(net, c, old, 2));
    int fresh = lab_unary(p, LAB_TANH, lab_binary(p, LAB_ADD, gate(net, c, in, 2), past));
    int change = lab_binary(p, LAB_SUBTRACT, c->hidden, fresh);
    c->hidden = lab_binary(p, LAB_ADD, fresh, lab_binary(p, LAB_MULTIPLY, keep, change));
}

int lab_net_lstm(lab_net *net)
{
    int batch = lab_net_batch(net, 64), in = lab_net_width(net, 4, 128), layers;
    int width = lab_net_width(net, 4, 128), steps = 3 + lab_net_count(net, 1, 12);
    int gated = lab_net_chance(net, 35), together = lab_net_chance(net, 50);
    int back = lab_net_chance(net, 25), classes = 1 + lab_net_width(net, 1, 64);
    cell c[2];
    layers = 1 + lab_net_chance(net, 35);
    int x = lab_net_input(net, 3, (int[]){batch, steps, in});
    if (lab_net_chance(net, 40)) x = lab_net_activate(net, lab_net_dense(net, x, in));
    if (back) x = lab_reverse(net->p, x, 1, (int[]){1});
    for (int i = 0; i < layers; i++)
        c[i] = start_cell(net, batch, i ? width : in, width, gated, together);
    for (int t = 0; t < steps; t++) {
        int y = lab_net_flat(net, lab_net_part(net, x, 1, t, t + 1), batch);
        for (int i = 0; i < layers; i++) {
            (gated ? gru_step : lstm_step)(net, &c[i], y);
            y = c[i].hidden;
        }
    }
    return lab_net_head(net, c[layers - 1].hidden, classes);
}

/* ---- transformers: x is [batch, time, features] ---- */

/* [batch, heads, time, depth]: a dot on all rows, a reshape and a transpose. */
static int split_heads(lab_net *net, int x, int heads)
{
    int batch = lab_net_size(net, x, 0), time = lab_net_size(net, x, 1);
    int depth = lab_net_size(net, x, 2) / heads;
    int y = lab_reshape(net->p, x, 4, (int[]){batch, time, heads, depth});
    return lab_transpose(net->p, y, (int[]){0, 2, 1, 3});
}

/* Later positions get a large negative score. */
static int masked(lab_net *net, int scores)
{
    lab_program *p = net->p;
    lab_shape s = lab_net_shape(net, scores);
    int column = lab_iota(p, 1, 2, &s.size[2]), row = lab_iota(p, 0, 2, &s.size[2]);
    int later = lab_binary(p, LAB_COMPARE, column, row);
    later = lab_broadcast(p, later, (int[]){2, 3}, 4, s.size);
    return lab_ternary(p, LAB_SELECT, later, lab_net_fill(net, -1e9f, s), scores);
}

/* Queries, keys and values by one product that is split, or by three products. */
static void project(int *qkv, lab_net *net, int x, int width)
{
    if (lab_net_chance(net, 40)) {
        int all = lab_net_dense(net, x, 3 * width);
        for (int i = 0; i < 3; i++) qkv[i] = lab_net_part(net, all, 2, i * width, (i + 1) * width);
        return;
    }
    for (int i = 0; i < 3; i++) qkv[i] = lab_net_dense(net, x, width);
}

static int attention(lab_net *net, int x, int heads, int causal)
{
    lab_program *p = net->p;
    int batch = lab_net_size(net, x, 0), time = lab_net_size(net, x, 1);
    int width = lab_net_size(net, x, 2), qkv[3];
    project(qkv, net, x, width);
    for (int i = 0; i < 3; i++) qkv[i] = split_heads(net, qkv[i], heads);
    int scores = lab_dot(p, qkv[0], qkv[1], (lab_dot_dims){2, 3, 3});
    scores = lab_net_scaled(net, scores, 1 / (float)(width / heads));
    if (causal) scores = masked(net, scores);
    int mix = lab_dot(p, lab_net_softmax(net, scores, 3), qkv[2], (lab_dot_dims){2, 3, 2});
    mix = lab_transpose(p, mix, (int[]){0, 2, 1, 3});
    mix = lab_reshape(p, mix, 3, (int[]){batch, time, width});
    return lab_net_dense(net, mix, width);
}

static int encoder(lab_net *net, int x, int heads, int hidden, int causal, int norm_first)
{
    lab_program *p = net->p;
    int width = lab_net_size(net, x, 2);
    int y = norm_first ? lab_net_norm(net, x) : x;
    x = lab_binary(p, LAB_ADD, x, attention(net, y, heads, causal));
    if (!norm_first) x = lab_net_norm(net, x);
    y = norm_first ? lab_net_norm(net, x) : x;
    y = lab_net_activate(net, lab_net_dense(net, y, hidden));
    x = lab_binary(p, LAB_ADD, x, lab_net_dense(net, y, width));
    return norm_first ? x : lab_net_norm(net, x);
}

/* Looks up rows of a table and adds positions. Some begin after the table. */
static int embedded(lab_net *net, int batch, int time, int width)
{
    lab_program *p = net->p;
    int size[3] = {batch, time, width};
    int words = lab_net_width(net, 16, 1024);
    int x = lab_net_chance(net, 40)
                ? lab_net_input(net, 3, size)
                : lab_reshape(p, lab_net_rows(net, batch * time, words, width), 3, size);
    int place = lab_net_input(net, 2, (int[]){time, width});
    return lab_binary(p, LAB_ADD, x, lab_broadcast(p, place, (int[]){1, 2}, 3, size));
}

int lab_net_transformer(lab_net *net)
{
    lab_program *p = net->p;
    int batch = lab_net_batch(net, 8), time = lab_net_width(net, 4, 64);
    int depth = lab_net_width(net, 4, 32), heads = 1 << lab_net_below(net, 3);
    int hidden = lab_net_width(net, 8, 256), blocks = lab_net_count(net, 1, 4);
    int causal = lab_net_chance(net, 50), early = lab_net_chance(net, 50), end, axis = 1;
    int classes = lab_net_width(net, 3, 100);
    end = lab_net_below(net, 3);
    int x = embedded(net, batch, time, depth * heads);
    for (int i = 0; i < blocks; i++) {
        lab_net_block(net, i + 1);
        x = encoder(net, x, heads, hidden, causal, early);
    }
    if (early) x = lab_net_norm(net, x);
    if (end == 0) x = lab_net_flat(net, lab_net_part(net, x, 1, 0, 1), batch);
    if (end == 1) x = lab_net_scaled(net, lab_reduce(p, x, LAB_SUM, 1, &axis), 1 / (float)time);
    return lab_net_head(net, x, classes);
}
