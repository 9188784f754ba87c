/* SPDX-License-Identifier: MIT */
/* Autoencoders, dense or of convolutions, plain or variational. */
#include "examples/lab/nets/net.h"

/* mean + exp(spread / 2) * noise */
static int drawn(lab_net *net, int x, int width)
{
    lab_program *p = net->p;
    int batch = lab_net_size(net, x, 0);
    int mean = lab_net_dense(net, x, width), spread = lab_net_dense(net, x, width);
    spread = lab_unary(p, LAB_TANH, spread); /* keeps it bounded */
    int deviation = lab_unary(p, LAB_EXPONENTIAL, lab_net_scaled(net, spread, 0.5f));
    int noise = lab_net_input(net, 2, (int[]){batch, width});
    return lab_binary(p, LAB_ADD, mean, lab_binary(p, LAB_MULTIPLY, deviation, noise));
}

static int code_of(lab_net *net, int x, int width, int variational)
{
    if (variational) return drawn(net, x, width);
    return lab_net_activate(net, lab_net_dense(net, x, width));
}

/* The reconstruction, and sometimes its distance from x for each element of the batch. */
static int compared(lab_net *net, int x, int again)
{
    lab_program *p = net->p;
    again = lab_unary(p, LAB_LOGISTIC, again);
    if (lab_net_chance(net, 50)) return again;
    int error = lab_binary(p, LAB_SUBTRACT, again, x), axes[LAB_RANK];
    int rank = lab_net_shape(net, x).rank;
    for (int i = 1; i < rank; i++) axes[i - 1] = i;
    return lab_reduce(p, lab_binary(p, LAB_MULTIPLY, error, error), LAB_SUM, rank - 1, axes);
}

static int dense_net(lab_net *net, int batch, int code, int variational)
{
    int width[8], deep = lab_net_count(net, 1, 6), in = lab_net_width(net, 24, 512);
    int x = lab_net_input(net, 2, (int[]){batch, in}), y = x;
    for (int i = 0; i < deep; i++) {
        lab_net_block(net, i + 1);
        width[i] = lab_net_width(net, 12, 384);
        y = lab_net_activate(net, lab_net_dense(net, y, width[i]));
    }
    y = code_of(net, y, code, variational);
    for (int i = deep - 1; i >= 0; i--) y = lab_net_activate(net, lab_net_dense(net, y, width[i]));
    return compared(net, x, lab_net_dense(net, y, in));
}

/* Enlarges to the image's size with transposed convolutions, through the layers' sizes in
   reverse. */
static int decoded(lab_net *net, int y, lab_shape small, int deep, int width, int features)
{
    int all = (int)(lab_elements(small) / (small.rank ? small.size[0] : 1));
    y = lab_net_activate(net, lab_net_dense(net, y, all));
    y = lab_reshape(net->p, y, small.rank, small.size);
    for (int i = deep - 1; i >= 0; i--) {
        lab_net_block(net, i + 11);
        int out = i ? width << (i - 1) : features;
        lab_conv c = {.features = out, .size = 2 + lab_net_below(net, 3), .up = 2};
        y = lab_net_biased(net, y, c);
        if (i) y = lab_net_activate(net, y);
    }
    return y;
}

static int image_net(lab_net *net, int batch, int code, int variational)
{
    int deep = 1 + lab_net_below(net, 3), side = lab_net_width(net, 1, 8) << deep;
    int width = lab_net_width(net, 2, 24), norm = lab_net_chance(net, 40);
    int features = lab_net_chance(net, 50) ? 3 : 1;
    int x = lab_net_image(net, batch, side, side, features), y = x;
    for (int i = 0; i < deep; i++) {
        lab_net_block(net, i + 1);
        lab_conv c = {.features = width << i, .size = 3 + lab_net_below(net, 3), .stride = 2};
        y = norm ? lab_net_unit(net, y, c) : lab_net_activate(net, lab_net_biased(net, y, c));
    }
    lab_shape small = lab_net_shape(net, y);
    y = code_of(net, lab_net_flat(net, y, batch), code, variational);
    return compared(net, x, decoded(net, y, small, deep, width, features));
}

int lab_net_autoencoder(lab_net *net)
{
    int batch = lab_net_batch(net, 64), code = lab_net_width(net, 2, 64);
    int image = lab_net_chance(net, 60), variational = lab_net_chance(net, 40);
    if (image) return image_net(net, (batch + 3) / 4, code, variational);
    return dense_net(net, batch, code, variational);
}
