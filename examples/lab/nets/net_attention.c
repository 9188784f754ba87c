/* SPDX-License-Identifier: MIT */
/* Attention on [batch, time, features]. */
#include "examples/lab/nets/net.h"

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
    if (s.rank != 4) return scores;
    int column = lab_iota(p, 1, 2, &s.size[2]), row = lab_iota(p, 0, 2, &s.size[2]);
    int later = lab_binary(p, LAB_COMPARE, column, row);
    later = lab_broadcast(p, later, (int[]){2, 3}, 4, s.size);
    return lab_select(p, later, lab_net_fill(net, -1e9f, s), scores);
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

int lab_net_encoder(lab_net *net, int x, int heads, int hidden, int causal, int norm_first)
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
