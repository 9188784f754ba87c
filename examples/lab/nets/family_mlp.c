/* SPDX-License-Identifier: MIT */
/* Nets of dense layers. */
#include "examples/lab/nets/net.h"

static int normalised(lab_net *net, int x)
{
    int width = lab_net_size(net, x, 1);
    int mean = lab_net_input(net, 1, &width), scale = lab_net_input(net, 1, &width);
    x = lab_binary(net->p, LAB_SUBTRACT, x, lab_net_along(net, mean, x, 1));
    return lab_binary(net->p, LAB_MULTIPLY, x, lab_net_along(net, scale, x, 1));
}

int lab_net_mlp(lab_net *net)
{
    int batch = lab_net_batch(net, 256), width = lab_net_width(net, 12, 512);
    int skip = lab_net_chance(net, 40), norm = lab_net_chance(net, 40), deep;
    int again = lab_net_chance(net, 25), image = lab_net_chance(net, 50);
    int rows = lab_net_width(net, 4, 24), columns = lab_net_width(net, 4, 24);
    int classes = 1 + lab_net_width(net, 1, 64);
    deep = lab_net_count(net, 3, 14);
    int x = image ? lab_net_input(net, 3, (int[]){batch, rows, columns})
                  : lab_net_input(net, 2, (int[]){batch, rows * columns});
    int first = x = image ? lab_net_flat(net, x, batch) : x;
    if (lab_net_chance(net, 50)) first = x = normalised(net, x);
    for (int i = 0; i < deep; i++) {
        lab_net_block(net, i + 1);
        if (lab_net_chance(net, 40)) width = lab_net_width(net, 12, 512);
        if (again && i % 3 == 2) x = lab_net_pair(net, x, first, 1);
        int old = x;
        x = lab_net_dense(net, x, width);
        if (norm) x = lab_net_norm(net, x);
        x = lab_net_activate(net, x);
        if (skip && lab_net_size(net, old, 1) == width) x = lab_binary(net->p, LAB_ADD, x, old);
    }
    return lab_net_head(net, x, classes);
}

/* MLP-Mixer: dense layers over the patches, then over the channels. */
int lab_net_mixer(lab_net *net)
{
    lab_program *p = net->p;
    int batch = lab_net_batch(net, 16), patches = lab_net_width(net, 4, 64);
    int pixels = lab_net_width(net, 8, 128), width = lab_net_width(net, 8, 256);
    int over_patches = lab_net_width(net, 6, 128), over_width = lab_net_width(net, 8, 512);
    int deep = lab_net_count(net, 1, 6), axis = 1;
    int x = lab_net_input(net, 3, (int[]){batch, patches, pixels});
    x = lab_net_dense(net, x, width);
    for (int i = 0; i < deep; i++) {
        lab_net_block(net, i + 1);
        int y = lab_transpose(p, lab_net_norm(net, x), (int[]){0, 2, 1});
        y = lab_net_activate(net, lab_net_dense(net, y, over_patches));
        y = lab_transpose(p, lab_net_dense(net, y, patches), (int[]){0, 2, 1});
        x = lab_binary(p, LAB_ADD, x, y);
        y = lab_net_activate(net, lab_net_dense(net, lab_net_norm(net, x), over_width));
        x = lab_binary(p, LAB_ADD, x, lab_net_dense(net, y, width));
    }
    int mean = lab_reduce(p, lab_net_norm(net, x), LAB_SUM, 1, &axis);
    mean = lab_net_scaled(net, mean, 1 / (float)patches);
    return lab_net_head(net, mean, 1 + lab_net_width(net, 2, 64));
}
