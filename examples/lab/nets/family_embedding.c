/* SPDX-License-Identifier: MIT */
/* Nets that look rows up in tables: attention pooling of texts, and recommenders. */
#include "examples/lab/nets/net.h"

/* Scores [batch, time] where positions after a text's end get a large negative score. Each text has
   a length of 0..time. */
static int within(lab_net *net, int scores, int lengths)
{
    lab_program *p = net->p;
    lab_shape s = lab_net_shape(net, scores);
    int place = lab_convert(p, lab_iota(p, 1, s.rank, s.size), LAB_F32);
    int share = lab_net_scaled(net, lab_unary(p, LAB_LOGISTIC, lengths), (float)s.size[1]);
    int end = lab_net_along(net, share, scores, 0);
    int behind = lab_binary(p, LAB_COMPARE, place, end);
    return lab_ternary(p, LAB_SELECT, behind, lab_net_fill(net, -1e9f, s), scores);
}

/* The mean of the rows [batch, time, width], weighted by attention with a learned query. */
static int pooled(lab_net *net, int x, int inner, int lengths)
{
    lab_program *p = net->p;
    int y = lab_unary(p, LAB_TANH, lab_net_dense(net, x, inner));
    int query = lab_net_input(net, 1, &inner);
    int scores = lab_dot(p, y, query, (lab_dot_dims){0, 2, 0});
    int share = lab_net_softmax(net, within(net, scores, lengths), 1);
    return lab_dot(p, share, x, (lab_dot_dims){1, 1, 1});
}

static int tower(lab_net *net, int batch, int words, int width)
{
    int time = lab_net_width(net, 4, 96), hops = lab_net_count(net, 1, 4), sum = -1;
    int rows = lab_net_rows(net, batch * time, words, width), inner = lab_net_width(net, 4, 128);
    int x = lab_reshape(net->p, rows, 3, (int[]){batch, time, width});
    int lengths = lab_net_input(net, 1, &batch);
    if (lab_net_chance(net, 40)) x = lab_net_norm(net, x);
    for (int i = 0; i < hops; i++) {
        int y = pooled(net, x, inner, lengths);
        sum = sum < 0 ? y : lab_net_pair(net, sum, y, 1);
    }
    return sum;
}

int lab_net_pooling(lab_net *net)
{
    lab_program *p = net->p;
    int batch = lab_net_batch(net, 32), width = lab_net_width(net, 6, 128), axis = 1;
    int words = lab_net_width(net, 16, 2048), end = lab_net_width(net, 4, 96);
    int two = lab_net_chance(net, 40), dense = lab_net_count(net, 1, 4);
    int classes = 1 + lab_net_width(net, 1, 40), y[2];
    for (int i = 0; i < 1 + two; i++) {
        lab_net_block(net, i + 1);
        y[i] = tower(net, batch, words, width);
        for (int k = 0; k < dense; k++) y[i] = lab_net_activate(net, lab_net_dense(net, y[i], end));
    }
    if (!two) return lab_net_head(net, y[0], classes);
    int match = lab_reduce(p, lab_binary(p, LAB_MULTIPLY, y[0], y[1]), LAB_SUM, 1, &axis);
    return lab_unary(p, LAB_LOGISTIC, match);
}

int lab_net_recommender(lab_net *net)
{
    lab_program *p = net->p;
    int batch = lab_net_batch(net, 128), width = lab_net_width(net, 4, 64);
    int numbers = lab_net_width(net, 4, 64), tables = 2 + lab_net_below(net, 6);
    int hidden = lab_net_width(net, 8, 256), deep = lab_net_count(net, 1, 4);
    int top = 1 + lab_net_count(net, 1, 4), row[LAB_OPERANDS], n = 0;
    int x = lab_net_input(net, 2, (int[]){batch, numbers});
    for (int i = 0; i < deep; i++) x = lab_net_activate(net, lab_net_dense(net, x, hidden));
    x = lab_net_activate(net, lab_net_dense(net, x, width));
    row[n++] = lab_reshape(p, x, 3, (int[]){batch, 1, width});
    for (int i = 0; i < tables; i++) {
        lab_net_block(net, i + 1);
        int rows = lab_net_rows(net, batch, lab_net_width(net, 16, 2048), width);
        row[n++] = lab_reshape(p, rows, 3, (int[]){batch, 1, width});
    }
    int all = lab_concatenate(p, n, row, 1);
    int pairs = lab_dot(p, all, all, (lab_dot_dims){1, 2, 2}); /* [batch, n, n] */
    int y = lab_net_pair(net, lab_net_flat(net, pairs, batch), x, 1);
    for (int i = 0; i < top; i++) {
        lab_net_block(net, i + 21);
        y = lab_net_activate(net, lab_net_dense(net, y, lab_net_width(net, 8, 256)));
    }
    return lab_net_head(net, y, 1);
}
