/* SPDX-License-Identifier: MIT */
/* Nets on sequences: recurrent ones, unrolled, and transformers. */
#include "examples/lab/nets/net.h"

typedef struct cell {
    int width, hidden, memory; /* nodes; memory of an LSTM alone */
    int input, state, bias;    /* weights: all steps share them */
    int together;              /* input and state concatenated for one product */
} cell;

/* gated: 3 gates (GRU), else 4 (LSTM). */
static cell start_cell(lab_net *net, int batch, int in, int width, int gated, int together)
{
    int gates = gated ? 3 : 4, wide = gates * width, size[2] = {batch, width};
    lab_shape s = {LAB_F32, 2, {batch, width}};
    cell c = {.width = width, .together = together && !gated};
    if (c.together) {
        c.input = lab_net_input(net, 2, (int[]){in + width, wide});
    } else {
        c.input = lab_net_input(net, 2, (int[]){in, wide});
        c.state = lab_net_input(net, 2, (int[]){width, wide});
    }
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
            if (gated)
                gru_step(net, &c[i], y);
            else
                lstm_step(net, &c[i], y);
            y = c[i].hidden;
        }
    }
    return lab_net_head(net, c[layers - 1].hidden, classes);
}

/* Looks up rows of a table and adds positions. Some begin after the table. */
static int embedded(lab_net *net, int batch, int time, int width)
{
    lab_program *p = net->p;
    int size[3] = {batch, time, width};
    int words = lab_net_width(net, 16, 1024), x;
    if (lab_net_chance(net, 40))
        x = lab_net_input(net, 3, size);
    else
        x = lab_reshape(p, lab_net_rows(net, batch * time, words, width), 3, size);
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
        x = lab_net_encoder(net, x, heads, hidden, causal, early);
    }
    if (early) x = lab_net_norm(net, x);
    if (end == 0) x = lab_net_flat(net, lab_net_part(net, x, 1, 0, 1), batch);
    if (end == 1) x = lab_net_scaled(net, lab_reduce(p, x, LAB_SUM, 1, &axis), 1 / (float)time);
    return lab_net_head(net, x, classes);
}
